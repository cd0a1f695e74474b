import { isObject } from '../../base/is-object.ts';
import { broken, jsonIn, refused, type Judged } from '../classify-whole.ts';
import { readError, refuseError } from '../model-api/api-error.ts';
import { EventFrames } from '../model-api/event-frames.ts';
import type { EventReader } from '../model-api/event-stream.ts';
import { judgedReply, spentIn, type Fields } from '../model-api/read-reply.ts';
import { ReplyText } from '../model-api/repeated-event.ts';
import { reasonOf } from '../model-api/response-reason.ts';
import type { EventContent, SpentUsage, StreamEvent, ToolCall, Usage, Verdict } from '../protocol.ts';
import { openaiUsage } from '../usage.ts';

/** Reads the events of one response of a Realtime session. */
class RealtimeReader implements EventReader {
  readonly end = 'response.done';
  readonly replyText = new ReplyText();
  hasFailed = false;
  /** Id of the response; `undefined`: it has not begun. */
  id: string | undefined;
  /** True if the service has taken the items of the turn. */
  hasItems = false;
  #response: Fields | undefined;
  #latest: Fields = {};

  get hasEnded(): boolean {
    return this.#response !== undefined;
  }

  take(event: Fields): EventContent | Verdict {
    const { type, delta } = event;
    switch (type) {
      case 'response.output_text.delta':
        if (typeof delta === 'string') this.replyText.add(delta);
        return contentOf(delta);
      case 'response.function_call_arguments.delta':
        return contentOf(delta);
      case 'conversation.item.added':
      case 'conversation.item.created':
        this.hasItems = true;
        return 'other';
      case 'response.created':
      case 'response.done':
        return this.#takeResponse(type, event['response']);
      default:
        return typeof type === 'string' ? 'other' : broken('an event without a type');
    }
  }

  reply(): Judged {
    const response = this.#response ?? {};
    const { output } = response;
    if (!Array.isArray(output) || !output.every(isObject)) return { broken: 'output is not a list of items' };
    const toolCalls = output.filter(({ type }) => type === 'function_call').map(readCall);
    if (!toolCalls.every((call) => call !== undefined))
      return { broken: 'a function_call without a call_id, a name or arguments' };
    const { status, status_details: details } = response;
    return judgedReply(response, {
      text: this.replyText.text,
      toolCalls,
      usage: realtimeUsage,
      reason: reasonOf(status, details, toolCalls),
    });
  }

  spent(): SpentUsage | undefined {
    return spentIn(this.#latest, realtimeUsage, true);
  }

  #takeResponse(type: string, response: unknown): EventContent | Verdict {
    if (!isObject(response)) return broken('an event without its response');
    this.hasItems = true;
    this.#latest = response;
    if (type === 'response.created') return 'other';
    const { id, status, status_details: details } = response;
    if (status === 'completed' || status === 'incomplete') {
      if (typeof id !== 'string' || id === '') return broken('a response without an id');
      this.#response = response;
      return 'other';
    }
    this.hasFailed = true;
    const { error, reason } = isObject(details) ? details : {};
    if (status === 'failed') return refuseError(readError(isObject(error) ? error : {}), 'a failed response');
    if (status === 'cancelled') return refused('truncated', `the response was cancelled: ${String(reason)}`);
    return broken('a response with an unknown status');
  }
}

function contentOf(delta: unknown): EventContent | Verdict {
  if (typeof delta !== 'string') return broken('a delta that is not a text');
  return delta === '' ? 'other' : 'content';
}

function readCall({ call_id: id, name, arguments: text }: Fields): ToolCall | undefined {
  if (typeof id !== 'string' || typeof name !== 'string' || typeof text !== 'string') return undefined;
  return { id, name, arguments: text };
}

/** The names of the details differ from those of Responses. */
const realtimeUsage = (usage: Fields): Usage =>
  openaiUsage({
    ...usage,
    input_tokens_details: usage['input_token_details'],
    output_tokens_details: usage['output_token_details'],
  });

/** Reader of the frames of one response. Its events have its id; an error may be caused by another frame. */
export class RealtimeFrames extends EventFrames<RealtimeReader> {
  isCancelled = false;
  /** Id of the frame that requests the response. */
  readonly requestId: string;
  readonly #past: PastResponses;
  #accepted: { data: unknown } | undefined;

  /** `past`: earlier requests and responses of the session. */
  constructor(requestId: string, past: PastResponses) {
    super(new RealtimeReader());
    this.requestId = requestId;
    this.#past = past;
  }

  get hasItems(): boolean {
    return this.reader.hasItems;
  }

  /** Id of the response; `undefined`: it has not begun, so that it cannot be cancelled. */
  get responseId(): string | undefined {
    return this.reader.id;
  }

  accepts(frame: StreamEvent): boolean {
    const data = jsonIn(frame.text());
    this.#accepted = { data };
    if (!isObject(data)) return true;
    const { type, response } = data;
    if (type === 'error') return !isLateCancel(data) && !this.#past.hasRequest(causeOf(data));
    const id = isObject(response) ? response['id'] : data['response_id'];
    if (typeof id !== 'string' || id === '') return true;
    // A response may fail or end before it is announced by `response.created`.
    if (this.reader.id === undefined && !this.#past.hasResponse(id)) this.reader.id = id;
    return id === this.reader.id;
  }

  /** An error of another frame than the request leaves a response behind that may still begin. */
  override get keepsSocket(): boolean {
    if (this.error !== undefined) return this.error.cause === this.requestId && !this.error.endsSocket;
    return this.hasEnded || this.reader.hasFailed || this.isCancelled;
  }

  protected override parse(frame: StreamEvent): unknown {
    const accepted = this.#accepted;
    this.#accepted = undefined;
    return accepted === undefined ? super.parse(frame) : accepted.data;
  }
}

/** Maximum number of earlier responses whose late frames are recognized. */
const maxPast = 16;

/** Earlier requests and responses of a session, whose late frames do not answer the pending request. */
export class PastResponses {
  readonly #requests: string[] = [];
  readonly #responses: string[] = [];

  /** Adds a request whose attempt has ended, and its response if it had begun. */
  add({ requestId, responseId }: Pick<RealtimeFrames, 'requestId' | 'responseId'>): void {
    keep(this.#requests, requestId);
    if (responseId !== undefined) keep(this.#responses, responseId);
  }

  hasRequest(id: string): boolean {
    return this.#requests.includes(id);
  }

  hasResponse(id: string): boolean {
    return this.#responses.includes(id);
  }
}

function keep(ids: string[], id: string): void {
  ids.push(id);
  if (ids.length > maxPast) ids.shift();
}

/** Reports the error of a cancellation that arrived after the end of its response. */
const isLateCancel = ({ error }: Fields): boolean => isObject(error) && error['code'] === 'response_cancel_not_active';

/** Returns the id of the frame that caused an error; '' if it is not stated. */
function causeOf({ error }: Fields): string {
  const cause = isObject(error) ? error['event_id'] : undefined;
  return typeof cause === 'string' ? cause : '';
}
