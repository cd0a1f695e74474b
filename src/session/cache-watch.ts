import { between, type Instant } from '../base/time.ts';
import { keyOf } from '../base/random.ts';
import { median } from '../statistics/averages.ts';

/** Maximum number of texts and of times that are kept. */
const maxKept = 4000;
/** Minimum number of replies to new texts that are compared. */
const minCompared = 10;
/** Minimum ratio of a reply to a new text to the repeated ones next to it: replies of one service differ less. */
const minSpeedup = 2;
/** Minimum share of such replies. */
const minShare = 0.8;
/** Number of replies before and after one that count as next to it: a service may become faster as it warms up. */
const near = 16;

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
  /** Times of first turns with new and with repeated texts, in the order of their ends. */
  readonly #times: { ms: number; isNew: boolean }[] = [];

  /** Takes an ok reply; `mark`: the field of a cache. */
  replied(mark: string | undefined): void {
    this.#replies++;
    if (mark === undefined) return;
    this.#marked++;
    this.#mark ||= mark;
  }

  /** Takes an ok first turn. */
  begun(text: string, { sentAt, endedAt }: { sentAt: Instant; endedAt: Instant }): void {
    if (this.#times.length >= maxKept) return;
    const key = keyOf(text);
    const answeredAt = this.#answered.get(key);
    const isNew = answeredAt === undefined;
    if (isNew && this.#answered.size < maxKept) this.#answered.set(key, endedAt);
    // A text that is sent again before its first reply is neither.
    if (isNew || answeredAt <= sentAt) this.#times.push({ ms: between(sentAt, endedAt), isNew });
  }

  /** Returns the signs of a cache; `undefined`: none. */
  signs(): CacheSigns | undefined {
    const speedup = this.#speedup();
    if (this.#marked === 0 && speedup === null) return undefined;
    return { marked: this.#marked, replies: this.#replies, mark: this.#mark, speedup };
  }

  #speedup(): CacheSigns['speedup'] {
    const compared = this.#times.flatMap(({ ms, isNew }, at) => {
      const around = isNew ? this.#nearest(at) : undefined;
      return around === undefined ? [] : [{ newMs: ms, repeatedMs: around }];
    });
    const faster = compared.filter(
      ({ newMs, repeatedMs }) => newMs >= minSpeedup * repeatedMs && newMs - repeatedMs > 1,
    );
    if (compared.length < minCompared || faster.length < minShare * compared.length) return null;
    return {
      newMs: median(compared.map(({ newMs }) => newMs)),
      repeatedMs: median(compared.map(({ repeatedMs }) => repeatedMs)),
    };
  }

  /** Returns the longer of the repeated replies before and after one; `undefined` unless there are both. */
  #nearest(at: number): number | undefined {
    const isRepeated = ({ isNew }: { isNew: boolean }): boolean => !isNew;
    const before = this.#times.slice(Math.max(0, at - near), at).findLast(isRepeated);
    const after = this.#times.slice(at + 1, at + 1 + near).find(isRepeated);
    return before === undefined || after === undefined ? undefined : Math.max(before.ms, after.ms);
  }
}
