import { later, type Ms, between, instant, type Instant } from '../base/time.ts';
import type { Load } from '../plan/plan.ts';
import { keyOf, randomOf } from '../base/random.ts';
import { arrivalOffsets, traceOffsets, ownArrivals, type Arrival } from './arrivals.ts';
import type { Dealt, ScheduleContext, NotStarted } from './schedule-context.ts';
import pLimit from 'p-limit';

/**
 * Runs open load: sessions are due at the instants of an arrival process. A session that is due while `maxConcurrency` are
 * live waits, and all later ones with it, or is dropped. Resolves after all started sessions have ended.
 */
export async function runOpen(context: ScheduleContext, load: Extract<Load, { model: 'open' }>): Promise<Dealt> {
  const { plan, shard, clock, stopSignal, sleeper, startedAt, observer } = context;
  const admission = openAdmission(context, load.maxConcurrency ?? Infinity);
  const arrivals = ownArrivals(offsetsOf(context, load), shard);
  const pace = new Pace(startedAt);
  const dealt: Dealt = { count: 0 };

  for (const arrival of arrivals) {
    const { number, offset } = arrival;
    if (offset >= context.lengthMs) break;
    const due = later(startedAt, offset);
    const wasWaiting = due < clock.now();
    const overdue = (): Dealt['overdue'] => countOverdue(context, dealt.count, withFirst(arrival, arrivals));
    const isDue = await sleeper.sleepUntil(pace.next(due, clock.now()), 'drain');
    const isFull = admission.isFull();
    if (isDue && isFull && load.whenFull === 'drop') observer.sessionDropped(due, context.policyOf(number));
    else if (isDue && !context.takeSession()) {
      // A cap ends the run before this session: it is no longer due. A cap that halts the run leaves others waiting.
      if (wasWaiting && stopSignal.reached('halt')) dealt.overdue = overdue();
      break;
    } else if (!isDue || !(await admission.start(number, due))) {
      dealt.overdue = overdue();
      break;
    } else if (isFull) pace.waitedForPlace();
    dealt.count += 1;
    if (dealt.count === plan.sessions) break;
  }
  if (dealt.count === plan.sessions) stopSignal.apply('drain');
  await sleeper.sleepUntil(later(startedAt, context.lengthMs), 'drain');
  await admission.allEnded();
  return dealt;
}

/** Returns the due instants of sessions: as recorded, or drawn from the seed. */
function offsetsOf({ plan, trace }: ScheduleContext, load: Extract<Load, { model: 'open' }>): Iterable<Ms> {
  if (load.trace === undefined) return arrivalOffsets(load, randomOf(plan.seed, keyOf('arrivals')));
  if (trace === undefined) throw new Error('the trace of a replayed plan is missing');
  return traceOffsets(trace);
}

function* withFirst(first: Arrival, rest: Iterable<Arrival>): Generator<Arrival, void> {
  yield first;
  yield* rest;
}

/**
 * Counts the remaining sessions that became due before now: by retry policy, and sessions of the warm-up separately,
 * because each belongs to its own due instant. Stores only two counts per policy, whatever the number of sessions.
 */
function countOverdue(
  { plan, clock, startedAt, lengthMs, policyOf }: ScheduleContext,
  dealt: number,
  arrivals: Iterable<Arrival>,
): NotStarted[] {
  const now = clock.now();
  const groups = new Map<string, NotStarted>();
  let left = (plan.sessions ?? Infinity) - dealt;
  for (const { number, offset } of arrivals) {
    const due = later(startedAt, offset);
    if (due >= now || offset >= lengthMs || left === 0) break;
    const policy = policyOf(number);
    const isWarmUp = between(startedAt, due) < plan.warmUpMs;
    const key = `${String(policy)} ${String(isWarmUp)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { count: 1, policy, becameDue: true, due });
    else group.count += 1;
    left -= 1;
  }
  return [...groups.values()];
}

/** Delay that is made up at once: timers, garbage collection and the like. */
const leewayMs = 100;
/** Factor of the schedule's pace while it makes up for a longer delay. */
const catchUp = 1.1;

/**
 * Returns the start time of a due session. On time: when it is due. After a stall of the generator, the schedule
 * catches up at a tenth above its own pace, never in a burst. Sessions that waited for a slot are not delayed further:
 * slots set their pace, and a delay would make the service look slower than it is.
 */
export class Pace {
  /** The generic cell rate algorithm: the position of the pace; starts may run ahead of it by the leeway. */
  #paced: Instant;
  #lastStart: Instant;
  #lastDue: Instant;
  #isSetByPlaces = false;

  constructor(startedAt: Instant) {
    this.#paced = startedAt;
    this.#lastStart = startedAt;
    this.#lastDue = startedAt;
  }

  next(due: Instant, now: Instant): Instant {
    const earliest = Math.max(due, now);
    const made = Math.max(this.#paced, this.#lastStart) + between(this.#lastDue, due) / catchUp;
    this.#paced = instant(this.#isSetByPlaces ? earliest : made);
    this.#isSetByPlaces &&= due < now;
    this.#lastDue = due;
    this.#lastStart = instant(Math.max(earliest, this.#paced - leewayMs));
    return this.#lastStart;
  }

  /**
   * The last session had to wait for a slot: sessions that became due meanwhile may follow as slots become free, and
   * the first later one when it is due.
   */
  waitedForPlace(): void {
    this.#isSetByPlaces = true;
  }
}

/** Admits sessions while fewer than the bound are live. */
export function openAdmission({ play, stopSignal }: ScheduleContext, maxLive: number) {
  const limit = pLimit(maxLive);
  let live = 0;
  let noneLive: () => void = () => undefined;
  const isFull = (): boolean => limit.activeCount >= maxLive;

  const leave = (): void => {
    live -= 1;
    if (live === 0) noneLive();
  };

  const run = (number: number, due: Instant): Promise<void> => {
    live += 1;
    return play(number, due).then(leave);
  };

  const wait = (number: number, due: Instant): Promise<boolean> =>
    new Promise((resolve) => {
      const stopListening = stopSignal.when('drain', () => {
        limit.clearQueue();
        resolve(false);
      });
      void limit(() => {
        // The slot may have become free just before the drain, too late for the queue.
        if (stopSignal.reached('drain')) return undefined;
        stopListening();
        resolve(true);
        return run(number, due);
      });
    });

  return {
    isFull,
    /** Starts a session, at once or when a slot is free; resolves to false, unstarted, if the run drains before that. */
    start(number: number, due: Instant): Promise<boolean> {
      if (isFull()) return wait(number, due);
      // Without a bound, only the session itself is stored.
      void (maxLive === Infinity ? run(number, due) : limit(run, number, due));
      return Promise.resolve(true);
    },
    /** Resolves when no session is live. */
    allEnded(): Promise<void> {
      return live === 0 ? Promise.resolve() : new Promise((resolve) => (noneLive = resolve));
    },
  };
}
