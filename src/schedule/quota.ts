import type { Plan } from '../plan/plan.ts';
import { nanosOf, nanosPerUnit } from '../plan/prices.ts';
import type { RunStop } from './stop/stop-controller.ts';

/** The caps of a plan; `null`: no bound. */
type Caps = Pick<Plan, 'maxTurns' | 'maxSessions' | 'maxCost'>;

/** An exhausted cap, and the operation that it no longer allows. */
type Spent = Extract<RunStop, { kind: 'cap' }>;

/**
 * Checks the caps before every send, and ends the run with the first send that they do not allow. Each send counts at
 * once, so a cap is never exceeded, whatever the concurrency. A retry counts like a first attempt, because the service
 * may do its work, and charge for it, again. The cost of a reply is only known when it arrives: replies in flight when
 * the cost is reached are added.
 */
export class Quota {
  readonly #caps: Caps;
  readonly #whole: Caps;
  readonly #end: (spent: Spent) => void;
  #turns = 0;
  #sessions = 0;
  /** In billionths, like the sum in the record. */
  #cost = 0;

  /** `whole`: the caps of the whole run, for messages. */
  constructor(caps: Caps, end: (spent: Spent) => void, whole: Caps = caps) {
    this.#caps = caps;
    this.#end = end;
    this.#whole = whole;
  }

  /** Takes the creation of a session, unless the session could not send a message. */
  takeSession(): boolean {
    if (!this.#mayTalk()) return false;
    const { maxSessions } = this.#caps;
    if (maxSessions !== null && this.#sessions >= maxSessions) return this.#spent('sessions', 'maxSessions');
    this.#sessions += 1;
    return true;
  }

  /** Takes a message. */
  takeTurn(): boolean {
    if (!this.#mayTalk()) return false;
    this.#turns += 1;
    return true;
  }

  /** Counts the cost of an attempt, in billionths. */
  spend(nanos: number): void {
    this.#cost += nanos;
  }

  #mayTalk(): boolean {
    const { maxTurns, maxCost } = this.#caps;
    if (maxTurns !== null && this.#turns >= maxTurns) return this.#spent('turns', 'maxTurns');
    if (maxCost === null || this.#cost < nanosOf(maxCost)) return true;
    return this.#spent(
      'cost',
      'maxCost',
      this.#whole === this.#caps ? `: replies cost ${String(this.#cost / nanosPerUnit)}` : '',
    );
  }

  #spent(of: Spent['of'], cap: keyof Caps, more = ''): false {
    this.#end({ kind: 'cap', of, why: `${cap} (${String(this.#whole[cap])}) was reached${more}` });
    return false;
  }
}
