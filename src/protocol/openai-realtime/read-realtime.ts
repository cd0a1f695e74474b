import { isObject } from '../../base/is-object.ts';
import { jsonIn } from '../classify-whole.ts';
import { EventFrames } from '../model-api/event-frames.ts';
import type { Fields } from '../model-api/read-reply.ts';
import type { StreamEvent } from '../protocol.ts';
import { RealtimeReader } from './realtime-reader.ts';

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
