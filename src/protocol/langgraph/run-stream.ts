import { isObject } from '../../base/is-object.ts';
import { broken, classOfStatus, jsonIn, refused, verdictOf } from '../classify-whole.ts';
import type { Fields } from '../model-api/read-reply.ts';
import type { EventContent, Received, ReplyStream, StreamEvent, Verdict } from '../protocol.ts';
import { endsWithReply, isOfModel, judgeState, refuseRunError, textIn } from './read-state.ts';

/**
 * Reads the events of one run: `metadata`, `messages` with tokens of any model call, `values` with the state after each
 * step, `error`. Runs have no event for their end: the state has to end with a reply. Events of subgraphs have the name of
 * the graph after a `|`.
 */
export class RunStream implements ReplyStream {
  /** The text of the current message. */
  text = '';
  hasEnded = false;
  #messageId: unknown;
  #state: Fields | undefined;
  #problem: Verdict | undefined;
  readonly #earlierId: string | undefined;

  /** `earlierId`: id of the previous reply in the thread. */
  constructor(earlierId: string | undefined) {
    this.#earlierId = earlierId;
  }

  take(event: StreamEvent): EventContent {
    if (this.#problem !== undefined || event.start === event.end) return 'other';
    const [type = ''] = event.type.split('|', 1);
    if (type !== 'messages' && type !== 'values' && type !== 'error') return 'other';
    const data = jsonIn(event.text());
    if (data === undefined) this.#problem = refused('malformed', 'an event that is not JSON');
    else if (type === 'messages') return this.#takeMessage(data);
    else if (!isObject(data)) this.#problem = broken(`the data of ${type} is not an object`);
    else if (type === 'error') this.#problem = refuseRunError(data);
    // The state of a subgraph is not the state of the thread.
    else if (event.type === 'values') this.#takeState(data);
    return 'other';
  }

  conclude({ failure, detail, status, isUtf8 }: Received): Verdict {
    if (failure !== undefined) return refused(failure, detail);
    if (status !== 200) return refused(classOfStatus(status), `status ${String(status)}`);
    if (!isUtf8) return refused('malformed', 'a stream that is not UTF-8');
    if (this.#problem !== undefined) return this.#problem;
    if (this.#state === undefined || !endsWithReply(this.#state))
      return refused('truncated', 'the stream ended without a state that ends with a reply');
    return verdictOf(judgeState(this.#state, this.#earlierId));
  }

  #takeState(state: Fields): void {
    this.#state = state;
    this.hasEnded = endsWithReply(state);
  }

  #takeMessage(data: unknown): EventContent {
    const message: unknown = Array.isArray(data) ? data[0] : undefined;
    if (!isObject(message)) {
      this.#problem = broken('the data of messages is not a list with a message');
      return 'other';
    }
    if (!isOfModel(message)) return 'other';
    const { id, content, tool_call_chunks: parts } = message;
    const text = textIn(content);
    if (text === undefined) {
      this.#problem = broken('the content of a message is neither a text nor a list of parts');
      return 'other';
    }
    if (id !== this.#messageId) [this.#messageId, this.text] = [id, ''];
    this.text += text;
    if (text !== '' || (Array.isArray(parts) && parts.length > 0)) return 'content';
    return isReasoning(message) ? 'reasoning' : 'other';
  }
}

/** Reports whether a part of a message is reasoning, in the two forms in which LangChain passes it on. */
function isReasoning({ content, additional_kwargs: more }: Fields): boolean {
  if (isObject(more) && typeof more['reasoning_content'] === 'string') return more['reasoning_content'] !== '';
  return Array.isArray(content) && content.some((part: unknown) => isObject(part) && isReasoningType(part['type']));
}

const isReasoningType = (type: unknown): boolean => type === 'reasoning' || type === 'thinking';
