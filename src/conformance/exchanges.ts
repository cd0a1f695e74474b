import { ms, type Ms } from '../base/time.ts';
import type { AttemptClass, FinishedClass } from '../protocol/outcome.ts';
import type { Operation } from '../protocol/protocol.ts';
import type { Answer, CheckRequest, Post } from './post.ts';

export interface TalkEffects {
  post: Post;
  pause: (length: Ms) => Promise<void>;
  /** Minimum pause before every exchange. */
  pauseMs: Ms;
}

/** Exchanges of one conversation with a service: with a pause before each, and a limited number of retries. */
export class Exchanges {
  /** Responses to messages, in order, including those that were retried. */
  readonly answers: Answer[] = [];
  /** Number of HTTP exchanges so far. */
  count = 0;
  /** Set if the first session or the first message was rejected, on which nearly every rule depends. */
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
    if (request.route.operation === 'message') this.answers.push(answer);
    return answer;
  }
}

const maxAttempts = 3;
const firstBackoffMs = 250;
const maxHonouredWaitMs = 60_000;

const retryAfterMs = ({ retryAfter }: Answer): number =>
  /^\d+$/.test(retryAfter) ? Math.min(Number(retryAfter) * 1000, maxHonouredWaitMs) : 0;
