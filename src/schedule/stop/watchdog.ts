import { between, instant, type Instant } from '../../base/time.ts';
import { isBrokenOff, type AttemptClass } from '../../protocol/outcome.ts';
import type { Operation } from '../../protocol/protocol.ts';
import { judgeDroughts, type DroughtLimits, type Droughts, type DroughtState, type Hopeless } from './droughts.ts';

/** The part of an attempt that is looked at. */
interface WatchedAttempt {
  operation: Operation;
  outcome: AttemptClass;
  exchange: { sentAt: Instant; endedAt: Instant };
  detail: string;
}

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
  readonly #limits: DroughtLimits;
  readonly #noSuccess = new Drought();
  readonly #targetGone = new Drought();
  #createdAt: Instant | undefined;

  constructor(limits: DroughtLimits) {
    this.#limits = limits;
  }

  attemptEnded(attempt: WatchedAttempt): void {
    const { operation, outcome, exchange } = attempt;
    if (outcome === 'ok') {
      if (operation === 'message') this.#noSuccess.ends(exchange.endedAt);
      else {
        this.#createdAt = exchange.endedAt;
        if (!this.#noSuccess.hasTurns) this.#noSuccess.forget();
      }
      this.#targetGone.ends(exchange.endedAt);
      return;
    }
    // Broken off by us: that says nothing about the service.
    if (isBrokenOff(outcome)) return;
    this.#noSuccess.goesOn(attempt);
    if (outcome === 'connect_failed') this.#targetGone.goesOn(attempt);
    else this.#targetGone.ends(exchange.endedAt);
  }

  /** Why the run is to stop; `undefined` while it is not. */
  judge(): Hopeless | undefined {
    return judgeDroughts(this.#limits, [this.seen(instant(0))]);
  }

  /** What it has seen of a run that began then. */
  seen(startedAt: Instant): Droughts {
    return {
      noSuccess: this.#noSuccess.seen(startedAt),
      targetGone: this.#targetGone.seen(startedAt),
      createdAtMs: this.#createdAt === undefined ? null : between(startedAt, this.#createdAt),
    };
  }
}

/** A time in which attempts end and none succeeds. */
class Drought {
  /** Whether a turn is among what failed. */
  hasTurns = false;
  #first: WatchedAttempt | undefined;
  #count = 0;
  #from: Instant | undefined;
  #until: Instant | undefined;
  #endedAt: Instant | undefined;

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
    const { sentAt, endedAt } = failed.exchange;
    // A long attempt may have been under way while others still ended well.
    if (this.#first === undefined) this.#from = instant(Math.max(sentAt, this.#endedAt ?? sentAt));
    this.#first ??= failed;
    this.hasTurns ||= failed.operation === 'message';
    this.#count += 1;
    this.#until = endedAt;
  }

  seen(startedAt: Instant): DroughtState {
    const first = this.#first;
    const since = (at: Instant | undefined): number => between(startedAt, at ?? startedAt);
    return {
      endedAtMs: this.#endedAt === undefined ? null : since(this.#endedAt),
      failures:
        first === undefined
          ? null
          : {
              count: this.#count,
              hasTurns: this.hasTurns,
              fromMs: since(this.#from),
              untilMs: since(this.#until),
              first: `${first.outcome}${first.detail === '' ? '' : `: ${first.detail}`}`,
            },
    };
  }
}
