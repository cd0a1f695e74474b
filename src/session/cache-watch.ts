import { between, type Instant } from '../base/time.ts';
import { keyOf } from '../base/random.ts';

/** Maximum number of texts that are kept. */
const maxTexts = 4000;
/** Minimum ratio of a reply to a new text to the repeated ones next to it: replies of one service differ less. */
const minSpeedup = 2;
/** Number of replies before and after one that count as next to it: a service may become faster as it warms up. */
const near = 16;

/** Times of a reply to a text that was new to the run, and of the slower one of the repeated texts before and after it. */
export interface ComparedTexts {
  newMs: number;
  repeatedMs: number;
}

/** Reports whether a repeated text got its reply faster than a new one, by more than chance. */
export function isFaster(newMs: number, repeatedMs: number): boolean {
  return newMs >= minSpeedup * repeatedMs && newMs - repeatedMs > 1;
}

interface Timed {
  ms: number;
  at: number;
}

/** Compares the times of first turns whose texts are new with those whose texts an earlier session has sent: a cache answers these faster. */
export class CacheWatch {
  /** End of the first reply to each text. */
  readonly #answered = new Map<number, Instant>();
  /** Number of timed replies. */
  #count = 0;
  #lastRepeated: Timed | undefined;
  /** Replies to new texts that await a repeated one, each with the repeated one before it. */
  #waiting: (Timed & { beforeMs: number })[] = [];

  /** Takes an ok first turn. Returns the comparisons that it completes. */
  begun(text: string, { sentAt, endedAt }: { sentAt: Instant; endedAt: Instant }): readonly ComparedTexts[] {
    const key = keyOf(text);
    const answeredAt = this.#answered.get(key);
    if (answeredAt !== undefined) return answeredAt <= sentAt ? this.#repeated(between(sentAt, endedAt)) : none;
    // A text that is not kept could not be recognized later.
    if (this.#answered.size >= maxTexts) return none;
    this.#answered.set(key, endedAt);
    this.#new(between(sentAt, endedAt));
    return none;
  }

  #new(ms: number): void {
    const at = this.#count++;
    const before = this.#lastRepeated;
    if (before !== undefined && at - before.at <= near) this.#waiting.push({ ms, at, beforeMs: before.ms });
    if (this.#waiting.length > near) this.#waiting.shift();
  }

  #repeated(ms: number): readonly ComparedTexts[] {
    const at = this.#count++;
    this.#lastRepeated = { ms, at };
    if (this.#waiting.length === 0) return none;
    const compared = this.#waiting
      .filter((each) => at - each.at <= near)
      .map((each) => ({ newMs: each.ms, repeatedMs: Math.max(each.beforeMs, ms) }));
    this.#waiting = [];
    return compared;
  }
}

const none: readonly ComparedTexts[] = [];
