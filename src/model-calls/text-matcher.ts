import type { AttemptAccount, CallAccount } from './accounts.ts';

/** Time after which all records of attempts sent before a call have arrived. */
const settledUs = 100_000;
/** Tolerance for the clocks of two processes. */
const jitterUs = 1000;

/** Matches calls by the text of the user's message with the one attempt in flight that has it. */
export class TextMatcher {
  readonly #attempts = new Map<string, Set<AttemptAccount>>();
  #undecided: CallAccount[] = [];

  begun(attempt: AttemptAccount): void {
    const hash = attempt.begin?.textHash ?? '';
    if (hash === '') return;
    const alike = this.#attempts.get(hash);
    if (alike === undefined) this.#attempts.set(hash, new Set([attempt]));
    else alike.add(attempt);
  }

  /** Called for a counted attempt: calls that arrived during it have been decided. */
  counted(attempt: AttemptAccount): void {
    const hash = attempt.begin?.textHash ?? '';
    const alike = this.#attempts.get(hash);
    alike?.delete(attempt);
    if (alike?.size === 0) this.#attempts.delete(hash);
  }

  /** Returns the attempt that a call seems to belong to, before all records have arrived. */
  foresee(call: CallAccount): AttemptAccount | undefined {
    const found = this.#inFlight(call);
    return found.length === 1 ? found[0] : undefined;
  }

  wait(call: CallAccount): void {
    this.#undecided.push(call);
  }

  /** Decides on waiting calls: with the only attempt that matches, or with none. `waitUs`: maximum time to wait for one. */
  decide(
    nowUs: number,
    waitUs: number,
    decided: (call: CallAccount, attempt: AttemptAccount | undefined) => void,
  ): void {
    const waiting = this.#undecided;
    this.#undecided = [];
    for (const call of waiting) {
      const ageUs = nowUs - call.arrivedUs;
      const found = this.#inFlight(call);
      if (ageUs < Math.min(settledUs, waitUs) || (found.length === 0 && ageUs < waitUs)) this.#undecided.push(call);
      else decided(call, found.length === 1 ? found[0] : undefined);
    }
  }

  get held(): number {
    return this.#undecided.length + this.#attempts.size;
  }

  #inFlight({ textHash = '', arrivedUs }: CallAccount): AttemptAccount[] {
    return [...(this.#attempts.get(textHash) ?? [])].filter(
      ({ begin, end }) =>
        begin !== undefined && begin.sentUs - jitterUs <= arrivedUs && (end === undefined || arrivedUs < end.endedUs),
    );
  }
}
