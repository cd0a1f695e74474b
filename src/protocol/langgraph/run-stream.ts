import { isObject } from '../../base/is-object.ts';
import { broken, classOfStatus, isReplyStatus, jsonIn, refused, verdictOf } from '../classify-whole.ts';
import { quoteText } from '../error-message.ts';
import { errorInEvent, readError, refuseError } from '../model-api/api-error.ts';
import type { Fields } from '../model-api/read-reply.ts';
import { Notes } from '../notes.ts';
import type { EventContent, Received, ReplyStream, StreamEvent, Verdict } from '../protocol.ts';
import { isOfModel, messageOf, textIn } from './read-message.ts';
import { endsWithReply, judgeState, refuseRun, refuseRunError } from './read-state.ts';
import { StreamedMessage } from './streamed-message.ts';

/**
 * Reads the events of one run: `metadata`, `messages` with tokens of any model call, `values` with the state after each
 * step, `updates` with the changes of each step, `error`. Current servers have no event for the end of a run: the state has to end with a reply. Events of
 * subgraphs have the name of the graph after a `|`.
 */
export class RunStream implements ReplyStream {
  hasEnded = false;
  readonly #notes = new Notes();
  #hasBegun = false;
  /** True after the event `end` of earlier servers. */
  #hasEnd = false;
  readonly #message = new StreamedMessage();
  #state: Fields | undefined;
  /** Messages of `updates`, of runs without `values`. */
  #updated: readonly Fields[] = [];
  #problem: Verdict | undefined;
  readonly #earlierId: string | undefined;

  /** `earlierId`: id of the previous reply in the thread. */
  constructor(earlierId: string | undefined) {
    this.#earlierId = earlierId;
  }

  /** The text of the current message. */
  get text(): string {
    return this.#message.text;
  }

  take(event: StreamEvent): EventContent {
    if (this.#problem !== undefined) return 'other';
    const [type = ''] = event.type.split('|', 1);
    if (!this.#hasBegun && type !== 'metadata') this.#notes.add('no_start', `${type} first`);
    this.#hasBegun = true;
    if (type === 'end') this.hasEnded = this.#hasEnd = true;
    if (event.start === event.end || !readTypes.has(type)) return 'other';
    const taken = this.#takeData(event, type);
    if (typeof taken === 'string') return taken;
    this.#problem = taken;
    return 'other';
  }

  conclude({ failure, detail, status, isUtf8 }: Received): Verdict {
    if (failure !== undefined) return refused(failure, detail);
    if (!isReplyStatus(status)) return refused(classOfStatus(status), `status ${String(status)}`);
    if (status !== 200) this.#notes.add('other_status', String(status));
    if (!isUtf8) return refused('malformed', 'a stream that is not UTF-8');
    if (this.#problem !== undefined) return this.#problem;
    const state = this.#finalState();
    if (state === undefined) return refused('truncated', 'the stream ended without a state that ends with a reply');
    return verdictOf(judgeState(state, this.#earlierId, this.#notes));
  }

  #takeData(event: StreamEvent, type: string): EventContent | Verdict {
    const data = jsonIn(event.text());
    if (type === 'error')
      return isObject(data) ? refuseRunError(data) : refuseError(readError({ message: data ?? event.text() }));
    if (type === '') {
      const error = errorInEvent(data, '');
      return error === undefined ? 'other' : refuseError(error);
    }
    if (data === undefined) return refused('malformed', `an event that is not JSON${quoteText(event.text())}`);
    if (type.startsWith('messages')) return this.#takeMessages(data, type);
    if (!isObject(data)) return broken(`the data of ${type} is not an object`);
    // The state of a subgraph is not the state of the thread.
    if (event.type !== type) return 'other';
    return type === 'values' ? this.#takeState(data) : this.#takeUpdates(data);
  }

  #takeState(state: Fields): EventContent | Verdict {
    const refusal = refuseRun(200, { __error__: state['__error__'] }, '');
    if (refusal !== undefined) return refusal;
    this.#state = state;
    this.hasEnded = endsWithReply(state, this.#earlierId);
    const { messages } = state;
    return this.hasEnded ? this.#takeUnsent(Array.isArray(messages) ? messages.at(-1) : messages) : 'other';
  }

  /** Takes the changes of a step: the messages that each node adds. */
  #takeUpdates(data: Fields): EventContent {
    const added = Object.values(data).flatMap((node): unknown => (isObject(node) ? (node['messages'] ?? []) : []));
    const messages = added.map((message) => messageOf(message, this.#notes)).filter((message) => message !== undefined);
    if (messages.length === 0) return 'other';
    this.#updated = [...this.#updated, ...messages];
    if (this.#state === undefined) this.hasEnded = endsWithReply({ messages: this.#updated }, this.#earlierId);
    return this.#takeUnsent(messages.at(-1));
  }

  /** Takes a reply of which no token was sent. */
  #takeUnsent(value: unknown): EventContent {
    const message = messageOf(value, this.#notes);
    if (this.text !== '' || message === undefined || !isOfModel(message)) return 'other';
    return textIn(message['content']) === '' ? 'other' : (this.#message.replace(message) ?? 'other');
  }

  #takeMessages(data: unknown, type: string): EventContent | Verdict {
    const isSoFar = type !== 'messages';
    const given: unknown = Array.isArray(data) ? (isSoFar ? data.at(-1) : data[0]) : data;
    if (!Array.isArray(data)) this.#notes.add('old_form', 'a message without a list');
    const message = messageOf(given, this.#notes);
    if (message === undefined) return broken(`the data of ${type} is not a list with a message`);
    if (!isOfModel(message)) return 'other';
    const taken = isSoFar ? this.#message.replace(message) : this.#message.add(message);
    return taken ?? broken('the content of a message is neither a text nor a list of parts');
  }

  /** Returns the state at the end of the run, or the one that its messages show; `undefined` if the run has not ended. */
  #finalState(): Fields | undefined {
    if (this.#state !== undefined && endsWithReply(this.#state, this.#earlierId)) return this.#state;
    const updated = { messages: this.#updated };
    const message = this.#message.whole();
    const hasUpdates = this.#state === undefined && endsWithReply(updated, this.#earlierId);
    const isOver = this.#hasEnd || (this.#state === undefined && this.#message.hasEnded);
    if (!hasUpdates && (!isOver || message === undefined)) return undefined;
    this.#notes.add('no_state');
    return hasUpdates ? updated : { messages: [message] };
  }
}

/** Events that are read; those of other modes and of later servers are not. `''`: errors of proxies. */
const readTypes = new Set(['messages', 'messages/partial', 'messages/complete', 'values', 'updates', 'error', '']);
