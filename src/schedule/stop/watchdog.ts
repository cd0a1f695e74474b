import { between, instant, type Instant } from '../../base/time.ts';
import { isBrokenOff, type AttemptClass } from '../../protocol/outcome.ts';
import type { Operation } from '../../protocol/protocol.ts';
import { z } from 'zod';
import type { Plan } from '../../plan/plan.ts';
import type { RunStop } from './stop-controller.ts';

/** Fields of an attempt that the watchdog uses. */
interface WatchedAttempt {
  operation: Operation;
  outcome: AttemptClass;
  exchange: { sentAt: Instant; endedAt: Instant };
  detail: string;
}

/**
 * Notices a run without progress: no turn was ok for a while, or the target could not be reached. Receives every
 * attempt, and is polled about once a second.
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
    // Aborted by chat-load: not evidence about the service.
    if (isBrokenOff(outcome)) return;
    this.#noSuccess.goesOn(attempt);
    if (outcome === 'connect_failed') this.#targetGone.goesOn(attempt);
    else this.#targetGone.ends(exchange.endedAt);
  }

  /** Returns the reason to stop the run; `undefined` if there is none. */
  judge(): Hopeless | undefined {
    return judgeDroughts(this.#limits, [this.seen(instant(0))]);
  }

  /** Returns the state of the watchdog, for a run that began at this instant. */
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
  /** True if the failures include a turn. */
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

  /** Forgets the failures so far, which are not a drought although no success has ended them. */
  forget(): void {
    this.hasTurns = false;
    this.#first = undefined;
    this.#count = 0;
  }

  goesOn(failed: WatchedAttempt): void {
    const { sentAt, endedAt } = failed.exchange;
    // A long attempt may have been in progress while others still succeeded.
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

const droughtSchema = z.object({
  /** Latest end of an attempt that ends a drought, since the start of the run; `null`: never. */
  endedAtMs: z.number().nullable(),
  /** The failures since; `null`: none. */
  failures: z
    .object({
      count: z.int().min(1),
      /** True if they include a turn. */
      hasTurns: z.boolean(),
      fromMs: z.number(),
      untilMs: z.number(),
      /** Description of the first one. */
      first: z.string(),
    })
    .nullable(),
});

/** State of a watchdog, so that several shards can be judged as one. */
export const droughtsSchema = z.object({
  noSuccess: droughtSchema,
  targetGone: droughtSchema,
  /** Latest creation of a session, since the start of the run; `null`: never. */
  createdAtMs: z.number().nullable(),
});
export type Droughts = z.infer<typeof droughtsSchema>;
type DroughtState = z.infer<typeof droughtSchema>;

export type Hopeless = Extract<RunStop, { kind: 'target_gone' | 'no_success' }>;

/** Longest time without success; `null`: no limit. */
export type DroughtLimits = Omit<Plan['stopWhen'], 'unusable'>;

/** Returns the reason to stop a run, from the watchdogs of all its shards; `undefined`: none. */
export function judgeDroughts(
  { noSuccessMs, targetGoneMs }: DroughtLimits,
  seen: readonly Droughts[],
): Hopeless | undefined {
  const gone = tooLong(
    seen.map(({ targetGone }) => targetGone),
    targetGoneMs,
  );
  if (gone !== undefined) return { kind: 'target_gone', why: `the target could not be reached for ${gone}` };
  const none = tooLong(endedByCreations(seen), noSuccessMs);
  return none === undefined ? undefined : { kind: 'no_success', why: `no turn was ok for ${none}` };
}

/** A creation in one shard ends a drought of creations in another; a shard's own has done so already. */
const endedByCreations = (seen: readonly Droughts[]): DroughtState[] =>
  seen.map(({ noSuccess }, shard) => {
    if (seen.some((each) => each.noSuccess.failures?.hasTurns === true)) return noSuccess;
    const elsewhere = seen.filter((_, other) => other !== shard).map(({ createdAtMs }) => createdAtMs);
    return { ...noSuccess, endedAtMs: latest([noSuccess.endedAtMs, ...elsewhere]) };
  });

const latest = (instants: readonly (number | null)[]): number | null =>
  instants.reduce((last, at) => (at === null ? last : Math.max(last ?? at, at)), null);

/** Returns the duration and the failures of a drought; `undefined`: not too long. A single failure is not a drought, however long it took. */
function tooLong(states: readonly DroughtState[], limitMs: number | null): string | undefined {
  if (limitMs === null) return undefined;
  const endedAt = latest(states.map(({ endedAtMs }) => endedAtMs)) ?? -Infinity;
  const failures = states
    .flatMap((state) => state.failures ?? [])
    .filter(({ untilMs }) => untilMs > endedAt)
    .toSorted((a, b) => a.fromMs - b.fromMs);
  const count = failures.reduce((sum, each) => sum + each.count, 0);
  const [earliest] = failures;
  if (earliest === undefined || count < 2) return undefined;
  const untilMs = Math.max(...failures.map((each) => each.untilMs));
  const lengthMs = untilMs - Math.max(earliest.fromMs, endedAt);
  if (lengthMs < limitMs) return undefined;
  return `${String(Math.round(lengthMs / 1000))} s. ${String(count)} attempts failed, the first with ${earliest.first}`;
}
