import type { AttemptAccount, TurnAccount } from './accounts.ts';
import { EqualCalls } from './equal-calls.ts';
import type { TracedAttempt } from './trace-id.ts';

/** Time for which counted attempts are remembered for late calls, and their maximum number. */
const rememberedUs = 60e6;
const maxRemembered = 10_000;

/** Attempts and turns in flight, and the latest counted attempts. */
export class AttemptRegister {
  readonly #attempts = new Map<string, AttemptAccount>();
  readonly #turns = new Map<string, TurnAccount>();
  /** Counted attempts by the time at which they were counted. */
  readonly #counted = new Map<AttemptAccount, number>();

  of(traceId: string): AttemptAccount | undefined {
    return this.#attempts.get(traceId);
  }

  turnOf(session: number, turn: number): TurnAccount | undefined {
    return this.#turns.get(keyOf(session, turn));
  }

  /** Returns the account of an attempt; opens one for an attempt that is not known yet. */
  open(traceId: string, { session, turn, attempt }: TracedAttempt): AttemptAccount {
    const known = this.#attempts.get(traceId);
    if (known !== undefined) return known;
    const account: AttemptAccount = {
      traceId,
      number: attempt,
      turn: this.#openTurn(session, turn),
      calls: [],
      equals: new EqualCalls(),
      begin: undefined,
      end: undefined,
      isCounted: false,
      isCertain: true,
      relay: undefined,
      nanos: 0,
    };
    account.turn.attempts.push(account);
    this.#attempts.set(traceId, account);
    return account;
  }

  /** Forgets an attempt of which only calls were known. */
  forget(attempt: AttemptAccount): void {
    const { attempts, session, turn } = attempt.turn;
    this.#attempts.delete(attempt.traceId);
    attempts.splice(attempts.indexOf(attempt), 1);
    if (attempts.length === 0) this.#turns.delete(keyOf(session, turn));
  }

  /** Releases the calls of a counted turn, and remembers its attempts for a while. */
  retire(turn: TurnAccount, nowUs: number): void {
    for (const attempt of turn.attempts.splice(0)) this.retireAttempt(attempt, nowUs);
    this.#turns.delete(keyOf(turn.session, turn.turn));
  }

  retireAttempt(attempt: AttemptAccount, nowUs: number): void {
    attempt.calls = [];
    this.#counted.set(attempt, nowUs);
  }

  /** Forgets the oldest of the counted attempts. */
  expire(nowUs: number): void {
    for (const [attempt, countedUs] of this.#counted) {
      if (this.#counted.size <= maxRemembered && nowUs - countedUs < rememberedUs) return;
      this.#counted.delete(attempt);
      this.#attempts.delete(attempt.traceId);
      // The calls of a repeated creation are numbered on.
      if (attempt.turn.turn === 0) this.#turns.delete(keyOf(attempt.turn.session, 0));
    }
  }

  turns(): Iterable<TurnAccount> {
    return this.#turns.values();
  }

  get held(): { attempts: number; turns: number } {
    return { attempts: this.#attempts.size, turns: this.#turns.size };
  }

  #openTurn(session: number, turn: number): TurnAccount {
    const key = keyOf(session, turn);
    const known = this.#turns.get(key);
    if (known !== undefined) return known;
    const account = { session, turn, attempts: [], numbered: 0, end: undefined, isCounted: false };
    this.#turns.set(key, account);
    return account;
  }
}

const keyOf = (session: number, turn: number): string => `${String(session)} ${String(turn)}`;
