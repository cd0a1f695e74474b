import { between, type Instant } from '../base/time.ts';
import { keyOf } from '../base/random.ts';
import { median } from '../statistics/averages.ts';

/** Maximum number of texts and of times that are kept. */
const maxKept = 4000;
/** Minimum number of replies to new and to repeated texts. */
const minReplies = 10;
/** Minimum ratio of their medians: replies of one service differ less. */
const minSpeedup = 2;

/** Signs that a cache answered a part of a run. */
export interface CacheSigns {
  /** Number of ok replies that are marked, of how many, with the first mark. */
  marked: number;
  replies: number;
  mark: string;
  /** Median times of replies to texts of first turns that are new to the run, and to repeated ones; `null`: no difference. */
  speedup: { newMs: number; repeatedMs: number } | null;
}

/** Looks for a cache of replies: by the marks of caches, and by the times of first turns whose texts an earlier session has sent. */
export class CacheWatch {
  #replies = 0;
  #marked = 0;
  #mark = '';
  /** End of the first reply to each text. */
  readonly #answered = new Map<number, Instant>();
  readonly #newMs: number[] = [];
  readonly #repeatedMs: number[] = [];

  /** Takes an ok reply; `mark`: the field of a cache. */
  replied(mark: string | undefined): void {
    this.#replies++;
    if (mark === undefined) return;
    this.#marked++;
    this.#mark ||= mark;
  }

  /** Takes an ok first turn. */
  begun(text: string, { sentAt, endedAt }: { sentAt: Instant; endedAt: Instant }): void {
    if (this.#newMs.length + this.#repeatedMs.length >= maxKept) return;
    const key = keyOf(text);
    const answeredAt = this.#answered.get(key);
    if (answeredAt === undefined) {
      if (this.#answered.size < maxKept) this.#answered.set(key, endedAt);
      // Replies before the first repetition may be slow because the service has just started.
      if (this.#repeatedMs.length > 0) this.#newMs.push(between(sentAt, endedAt));
    } else if (answeredAt <= sentAt) this.#repeatedMs.push(between(sentAt, endedAt));
  }

  /** Returns the signs of a cache; `undefined`: none. */
  signs(): CacheSigns | undefined {
    const speedup = this.#speedup();
    if (this.#marked === 0 && speedup === null) return undefined;
    return { marked: this.#marked, replies: this.#replies, mark: this.#mark, speedup };
  }

  #speedup(): CacheSigns['speedup'] {
    if (Math.min(this.#newMs.length, this.#repeatedMs.length) < minReplies) return null;
    const [newMs, repeatedMs] = [median(this.#newMs), median(this.#repeatedMs)];
    return newMs >= minSpeedup * repeatedMs && newMs - repeatedMs > 1 ? { newMs, repeatedMs } : null;
  }
}
