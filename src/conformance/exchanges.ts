import { ms, type Ms } from '../base/time.ts';
import type { AttemptClass, FinishedClass, ExchangeFailure } from '../protocol/outcome.ts';
import type { Operation, ChatRequest } from '../protocol/protocol.ts';
import { refusedKey } from '../protocol/refused-key.ts';

export interface TalkEffects {
  post: Post;
  pause: (length: Ms) => Promise<void>;
  /** Minimum pause before every exchange. */
  pauseMs: Ms;
}

/** Exchanges of one conversation with a service: with a pause before each, and a limited number of retries. */
export class Exchanges {
  /** Responses to messages, in order, including responses that were retried. */
  readonly answers: Answer[] = [];
  /** Number of exchanges so far. */
  count = 0;
  /** Rejection of the first session or the first message, on which nearly every rule depends; `undefined` without one. */
  refusal: { operation: Operation; outcome: FinishedClass } | undefined;
  readonly #effects: TalkEffects;
  readonly #isTransient: (answer: Answer) => boolean;
  #retriesLeft = 10;

  constructor(effects: TalkEffects, isTransient: (answer: Answer) => boolean) {
    this.#effects = effects;
    this.#isTransient = isTransient;
  }

  async exchange(request: CheckRequest): Promise<Answer> {
    const { pause, pauseMs } = this.#effects;
    if (this.count > 0) await pause(pauseMs);
    let answer = await this.#post(request);
    for (let attempt = 1; attempt < maxAttempts && this.#isTransient(answer) && this.#retriesLeft > 0; attempt++) {
      this.#retriesLeft--;
      await pause(ms(Math.max(pauseMs, firstBackoffMs * 2 ** (attempt - 1), retryAfterMs(answer))));
      answer = await this.#post(request);
    }
    return answer;
  }

  protected refuse(operation: Operation, outcome: AttemptClass): void {
    this.refusal = { operation, outcome: outcome === 'aborted' ? 'connection_lost' : outcome };
  }

  async #post(request: CheckRequest): Promise<Answer> {
    this.count++;
    const answer = await this.#effects.post(request);
    // A refused upgrade answers the messages that would have followed.
    if (request.route.operation === 'message' || (request.socket !== undefined && answer.status >= 400))
      this.answers.push(answer);
    return answer;
  }
}

const maxAttempts = 3;
const firstBackoffMs = 250;
const maxHonouredWaitMs = 60_000;

const retryAfterMs = ({ retryAfter }: Answer): number =>
  /^\d+(?:\.\d+)?$/.test(retryAfter) ? Math.min(Number(retryAfter) * 1000, maxHonouredWaitMs) : 0;

/** The key of an exchange: the caller's own, an unknown one, one of another kind, or none. */
export type KeyUsed = 'good' | 'wrong' | 'wrong_kind' | 'none';

export interface CheckRequest extends ChatRequest {
  key: KeyUsed;
  /** Closes the connection as soon as the first event has arrived. */
  leavesEarly?: boolean;
}

/** One event of a streamed reply. */
export interface ReceivedEvent {
  /** The `event` field; '' without one. */
  type: string;
  data: string;
  /** Number of the read of the connection in which its last byte was received. */
  read: number;
  /** True if no empty line ends it. */
  isUnseparated?: true;
}

/** The response of the service. Contains its raw texts. */
export interface Answer {
  /** 0 without a complete response. */
  status: number;
  /** '' without one. */
  contentType: string;
  /** The header as received; '' without one. */
  retryAfter: string;
  body: string;
  /** Events of a streamed reply, also of a broken one; `undefined`: the reply is not streamed. */
  events?: readonly ReceivedEvent[] | undefined;
  /** Code with which the socket was closed before the end of the answer; omitted over HTTP. */
  closeCode?: number | undefined;
  /** True if the socket had to be opened again; omitted over HTTP. */
  isReopened?: boolean | undefined;
  /** Class of an exchange without a complete, readable response. */
  failure: ExchangeFailure | undefined;
  /** Reason of the failure; '' without one. */
  detail: string;
  /** Wall clock, milliseconds since 1970. */
  sentAtMs: number;
  endedAtMs: number;
}

/** Sends a request with its own body and key. Never rejects. */
export type Post = (request: CheckRequest) => Promise<Answer>;

/** Throws an environment error for a rejected key. Used only for the first creation and the first message: after these, the key is known to be accepted. */
export function acceptKey(
  { status }: Pick<Answer, 'status'>,
  { auth = 'key', isAnonymous = false }: { auth?: string; isAnonymous?: boolean },
): void {
  if (status !== 401 && status !== 403) return;
  throw refusedKey({ seen: String(status), auth, isAnonymous, consequence: 'no rule can be tested' });
}
