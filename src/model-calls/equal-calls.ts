import type { ModelApiName } from '../protocol/model-call.ts';

/** A request, as far as repeats are concerned. */
export interface ComparedRequest {
  readonly arrivedUs: number;
  readonly api: ModelApiName;
  readonly digest: string;
  readonly retryCount: number;
}

export type Relation = 'repeat' | 'duplicate' | 'first';

/** Requests of one attempt, to recognize repeats and duplicates. */
export class EqualCalls {
  /**
   * Earliest failure by digest, and by route for calls that a client library marks as retries; `Infinity` for a digest
   * without one. Most attempts have no failure, many no call.
   */
  #failedUs: Map<string, number> | undefined;

  /** Classifies the next call by arrival. A repeat arrived after such a call had ended not ok. */
  classify({ api, digest, retryCount, arrivedUs }: ComparedRequest): Relation {
    const failures = (this.#failedUs ??= new Map<string, number>());
    const equalUs = failures.get(digest);
    if (equalUs === undefined) failures.set(digest, Infinity);
    const likeUs = retryCount > 0 ? failures.get(routeOf(api)) : undefined;
    if (Math.min(equalUs ?? Infinity, likeUs ?? Infinity) <= arrivedUs) return 'repeat';
    return equalUs === undefined ? 'first' : 'duplicate';
  }

  /** Takes the end of a classified call that was not ok. */
  failed({ api, digest }: ComparedRequest, endedUs: number): void {
    const failures = (this.#failedUs ??= new Map<string, number>());
    for (const key of [digest, routeOf(api)]) failures.set(key, Math.min(endedUs, failures.get(key) ?? Infinity));
  }
}

const routeOf = (api: ModelApiName): string => `route ${api}`;
