import { ms, type Ms } from '../base/time.ts';
import type { FinishedClass } from '../protocol/outcome.ts';
import type { Operation } from '../protocol/protocol.ts';
import type { Answer, Asked, Post } from './post.ts';

export interface TalkEffects {
  post: Post;
  pause: (length: Ms) => Promise<void>;
  /** The least wait before every exchange. */
  pauseMs: Ms;
}

/** How a service refused what nearly every rule begins with: its first session, or the first message. */
export interface Refusal {
  operation: Operation;
  outcome: FinishedClass;
}

/** Exchanges of one conversation with a service: with a pause before each, and again where clients should retry, a limited number of times. */
export class Exchanges {
  /** What came back of messages, in order, that included which was sent again. */
  readonly answers: Answer[] = [];
  /** So far. */
  count = 0;
  readonly #effects: TalkEffects;
  readonly #isTransient: (answer: Answer) => boolean;
  #retriesLeft = 10;

  constructor(effects: TalkEffects, isTransient: (answer: Answer) => boolean) {
    this.#effects = effects;
    this.#isTransient = isTransient;
  }

  async exchange(asked: Asked): Promise<Answer> {
    const { pause, pauseMs } = this.#effects;
    if (this.count > 0) await pause(pauseMs);
    let answer = await this.#post(asked);
    for (let attempt = 1; attempt < maxAttempts && this.#isTransient(answer) && this.#retriesLeft > 0; attempt++) {
      this.#retriesLeft--;
      await pause(ms(Math.max(pauseMs, firstBackoffMs * 2 ** (attempt - 1), retryAfterMs(answer))));
      answer = await this.#post(asked);
    }
    return answer;
  }

  async #post(asked: Asked): Promise<Answer> {
    this.count++;
    const answer = await this.#effects.post(asked);
    if (asked.route.operation === 'message') this.answers.push(answer);
    return answer;
  }
}

const maxAttempts = 3;
const firstBackoffMs = 250;
const maxHonouredWaitMs = 60_000;

const retryAfterMs = ({ retryAfter }: Answer): number =>
  /^\d+$/.test(retryAfter) ? Math.min(Number(retryAfter) * 1000, maxHonouredWaitMs) : 0;
