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
  readonly #seen = new Set<string>();
  /** Earliest failure by digest, and by route for calls that a client library marks as retries. */
  readonly #failedUs = new Map<string, number>();

  /** Classifies the next call by arrival. A repeat arrived after such a call had ended not ok. */
  classify({ api, digest, retryCount, arrivedUs }: ComparedRequest): Relation {
    const isEqual = this.#seen.has(digest);
    this.#seen.add(digest);
    const failedUs = Math.min(this.#failureOf(digest), retryCount > 0 ? this.#failureOf(routeOf(api)) : Infinity);
    if (failedUs <= arrivedUs) return 'repeat';
    return isEqual ? 'duplicate' : 'first';
  }

  /** Takes the end of a classified call that was not ok. */
  failed({ api, digest }: ComparedRequest, endedUs: number): void {
    for (const key of [digest, routeOf(api)]) this.#failedUs.set(key, Math.min(endedUs, this.#failureOf(key)));
  }

  #failureOf(key: string): number {
    return this.#failedUs.get(key) ?? Infinity;
  }
}

const routeOf = (api: ModelApiName): string => `route ${api}`;
