import { ms, type Instant, type Ms } from '../../base/time.ts';
import type { Plan } from '../../plan/plan.ts';
import type { AttemptClass } from '../../protocol/outcome.ts';
import type { Operation } from '../../protocol/protocol.ts';
import type { RunStop } from './stop-controller.ts';

/** The part of an attempt that is looked at. */
interface WatchedAttempt {
  operation: Operation;
  outcome: AttemptClass;
  exchange: { sentAt: Instant; endedAt: Instant };
  detail: string;
}

type Hopeless = Extract<RunStop, { kind: 'target_gone' | 'no_success' }>;

/**
 * Notices a run without progress: no turn was ok for a while, or the target could not be reached. It is given every
 * attempt, and polled about once a second.
 *
 *     ok .. ok  x----x  x--x    x---x        x: sent and failed
 *               |<- a drought as long ->|    from the first failure's send to the last failure's end
 *
 * A session that is created is not a success of turns: it only ends a drought of creations.
 */
export class Watchdog {
  readonly #noSuccess: Drought;
  readonly #targetGone: Drought;

  constructor({ noSuccessMs, targetGoneMs }: Plan['stopWhen']) {
    this.#noSuccess = new Drought(noSuccessMs);
    this.#targetGone = new Drought(targetGoneMs);
  }

  attemptEnded(attempt: WatchedAttempt): void {
    const { operation, outcome, exchange } = attempt;
    if (outcome === 'ok') {
      if (operation === 'message') this.#noSuccess.ends(exchange.endedAt);
      else if (!this.#noSuccess.hasTurns) this.#noSuccess.forget();
      this.#targetGone.ends(exchange.endedAt);
      return;
    }
    // The run itself cut it: that says nothing about the service.
    if (outcome === 'aborted') return;
    this.#noSuccess.goesOn(attempt);
    if (outcome === 'connect_failed') this.#targetGone.goesOn(attempt);
    else this.#targetGone.ends(exchange.endedAt);
  }

  /** Why the run is to stop; `undefined` while it is not. */
  judge(): Hopeless | undefined {
    const gone = this.#targetGone.tooLong;
    if (gone !== undefined)
      return { kind: 'target_gone', why: `the target could not be reached for ${secondsOf(gone)}. ${gone.text}` };
    const none = this.#noSuccess.tooLong;
    if (none !== undefined) return { kind: 'no_success', why: `no turn was ok for ${secondsOf(none)}. ${none.text}` };
    return undefined;
  }
}

/** A time in which attempts end and none succeeds. A single failure is not one, however long it took. */
class Drought {
  /** Whether a turn is among what failed. */
  hasTurns = false;
  readonly #limitMs: Ms | null;
  #first: WatchedAttempt | undefined;
  #count = 0;
  #from = 0;
  #until = 0;
  #endedAt = 0;

  constructor(limitMs: Ms | null) {
    this.#limitMs = limitMs;
  }

  ends(at: Instant): void {
    this.forget();
    this.#endedAt = at;
  }

  /** The failures so far are not a drought, although no success has ended them. */
  forget(): void {
    this.hasTurns = false;
    this.#first = undefined;
    this.#count = 0;
  }

  goesOn(failed: WatchedAttempt): void {
    // A long attempt may have been under way while others still ended well.
    if (this.#first === undefined) this.#from = Math.max(failed.exchange.sentAt, this.#endedAt);
    this.#first ??= failed;
    this.hasTurns ||= failed.operation === 'message';
    this.#count += 1;
    this.#until = failed.exchange.endedAt;
  }

  get tooLong(): { lengthMs: Ms; text: string } | undefined {
    const first = this.#first;
    if (this.#limitMs === null || first === undefined || this.#count < 2) return undefined;
    const lengthMs = ms(this.#until - this.#from);
    if (lengthMs < this.#limitMs) return undefined;
    const attempts = `${String(this.#count)} attempts failed, the first with ${first.outcome}`;
    return { lengthMs, text: `${attempts}${first.detail === '' ? '' : `: ${first.detail}`}` };
  }
}

const secondsOf = ({ lengthMs }: { lengthMs: Ms }): string => `${String(Math.round(lengthMs / 1000))} s`;
