import type { Plan, Segment } from '../plan/plan.ts';
import { meanOf, meanTurns } from '../plan/distributions.ts';
import type { Script } from '../plan/script.ts';
import { nanosPerUnit } from '../plan/prices.ts';
import { planSession } from '../plan/session-plan.ts';
import type { Live } from './live.ts';

/**
 * Estimates the remaining duration of a run in milliseconds, by the plan and the pace so far. `undefined` before the first
 * turn has ended.
 *
 *     now ... last session starts (count, duration, cap) ... the last live session ends, or the grace period
 */
export function forecastRest(live: Live, { plan, script }: { plan: Plan; script: Script }): number | undefined {
  const pace = paceOf(live, plan, script);
  if (pace === undefined) return undefined;
  const now = live.elapsedMs;
  const bounds = [plan.durationMs, plan.maxDurationMs].filter((bound) => bound !== null);
  const bound = Math.min(...bounds, Infinity);
  const counted = whenAllHaveStarted(live, plan, pace);
  const isDraining = counted === undefined || now >= bound;
  const last = isDraining ? live.lastStartMs : Math.min(counted, bound);
  const tail = tailOf(live, { plan, script, pace, last });
  const ended = last + tail;
  const end = counted === undefined || counted < bound ? ended : Math.min(ended, bound + plan.gracePeriodMs);
  return Math.max(0, Math.min(end, whenSpent(live, plan, pace)) - now);
}

interface ObservedPace {
  /** Duration of a turn, including its retries and backoffs, and its share of the session's creation. */
  turnMs: number;
  thinkMs: number;
  sessionMs: number;
}

/**
 * Derives the pace: the live time of sessions is the time of their turns and think times, so the time without think time is
 * divided among the turns. Turns in flight and think times in progress count half. If the script branches or calls tools, the
 * number of turns per session is observed, with sessions in progress half done; other scripts determine it.
 */
function paceOf(live: Live, plan: Plan, script: Script): ObservedPace | undefined {
  const { turns, turnsInFlight, sessionsDone, sessionsLive, sessionTimeMs } = live;
  const skipped = turns.skipped_prior_failure + turns.skipped_run_end;
  const ended = Object.values(turns).reduce((sum, count) => sum + count, 0) - skipped;
  if (ended === 0)
    return sessionsDone === 0 ? undefined : { turnMs: 0, thinkMs: 0, sessionMs: sessionTimeMs / sessionsDone };
  const thinkMs = meanOf(plan.thinkTime);
  const thinking = Math.max(0, sessionsLive - turnsInFlight);
  const thinkTimes = Math.max(0, ended - sessionsDone - thinking / 2);
  const turnMs = Math.max(0, sessionTimeMs - thinkMs * thinkTimes) / (ended + turnsInFlight / 2);
  const turnsEach =
    (script.next === undefined && script.tools.size === 0) || sessionsDone === 0
      ? (meanTurns(script.turns) * ended) / (ended + skipped)
      : ended / (sessionsDone + sessionsLive / 2);
  return { turnMs, thinkMs, sessionMs: lengthOf(turnsEach, { turnMs, thinkMs }) };
}

const lengthOf = (turns: number, { turnMs, thinkMs }: Pick<ObservedPace, 'turnMs' | 'thinkMs'>): number =>
  Math.max(0.001, turns * turnMs + Math.max(0, turns - 1) * thinkMs);

/** Returns the start of the last session of a count; Infinity without a count, `undefined` if all have started. */
function whenAllHaveStarted(
  live: Live,
  { load, sessions, maxSessions }: Plan,
  { sessionMs }: ObservedPace,
): number | undefined {
  const count = Math.min(sessions ?? Infinity, maxSessions ?? Infinity);
  const started = live.sessionsStarted + live.sessionsDropped;
  if (started >= count) return undefined;
  if (count === Infinity) return Infinity;
  if (load.model === 'open') {
    const byRate = whenReached(load.segments, live.elapsedMs, (count - started) * 1000);
    const max = load.maxConcurrency ?? Infinity;
    return live.sessionsLive >= max ? Math.max(byRate, live.elapsedMs + ((count - started) * sessionMs) / max) : byRate;
  }
  // At the start of the last session, live ones are on average a good third through.
  const slots = Math.min(count, levelAt(load.segments, live.elapsedMs + sessionMs));
  const work = Math.max(0, count - slots * (1 - phase)) * sessionMs - live.sessionTimeMs;
  return whenReached(load.segments, live.elapsedMs, work);
}

const phase = 0.375;

/** Returns the time from the last start to the last end: a long session that started a little earlier may end later. */
function tailOf(
  live: Live,
  { plan, script, pace, last }: { plan: Plan; script: Script; pace: ObservedPace; last: number },
): number {
  const level = Math.max(levelAt(plan.load.segments, last), 0.001);
  const gapMs = plan.load.model === 'open' ? 1000 / level : pace.sessionMs / level;
  const more = last === Infinity ? 0 : Math.max(0, last - live.elapsedMs) / gapMs;
  const number = Math.min(
    plan.sessions ?? Infinity,
    plan.maxSessions ?? Infinity,
    Math.round(live.sessionsStarted + more),
  );
  const startedAtOnce = plan.load.model === 'closed' && (plan.sessions ?? Infinity) <= level;
  // Sessions that fail early are shorter than planned.
  const share = pace.sessionMs / lengthOf(meanTurns(script.turns), pace);
  // If all sessions started together, the slowest one ends last, by this number of standard deviations.
  const unluck = startedAtOnce ? Math.sqrt(2 * Math.log(Math.max(2, live.sessionsStarted))) : 1;
  let tail = 0;
  for (let back = 0; back < Math.min(maxLookedAt, number); back++) {
    const { turns } = planSession(script, number - back);
    const length = lengthOf(turns, pace) * Math.min(1, share) + unluck * turnSpread * pace.turnMs * Math.sqrt(turns);
    tail = Math.max(tail, length - (startedAtOnce ? 0 : back * gapMs));
  }
  return tail;
}

const maxLookedAt = 50;
/** Standard deviation of a turn, as a share of its mean: typical of most services. */
const turnSpread = 0.5;

/** Returns the time at which a cap on turns or cost is reached; Infinity if there is none. */
function whenSpent(live: Live, { load, maxTurns, maxCost }: Plan, { turnMs }: ObservedPace): number {
  const shares = [
    ...(maxTurns === null ? [] : [live.attempts / maxTurns]),
    ...(maxCost === null ? [] : [live.costNanos / nanosPerUnit / maxCost]),
  ];
  const spent = Math.max(0, ...shares);
  if (spent === 0) return Infinity;
  const sessionTimeLeft = (live.sessionTimeMs * Math.max(0, 1 - spent)) / spent;
  const at =
    load.model === 'closed'
      ? whenReached(load.segments, live.elapsedMs, sessionTimeLeft)
      : live.elapsedMs + sessionTimeLeft / Math.max(1, live.sessionsLive);
  return at + turnMs / 2;
}

function levelAt(segments: readonly Segment[], atMs: number): number {
  const segment = segments.findLast(({ startMs }) => startMs <= atMs) ?? segments[0];
  if (segment === undefined) return 0;
  const { startMs, endMs, from, to } = segment;
  return endMs === null
    ? to
    : from + (to - from) * Math.min(1, Math.max(0, (atMs - startMs) / Math.max(1, endMs - startMs)));
}

/** Returns the time at which the area under the level (level times milliseconds), from an instant on, reaches a value. */
function whenReached(segments: readonly Segment[], fromMs: number, area: number): number {
  let left = area;
  if (left <= 0) return fromMs;
  for (const { startMs, endMs } of segments) {
    const [start, end] = [Math.max(fromMs, startMs), endMs ?? Infinity];
    if (end <= start) continue;
    const [first, last] = [
      levelAt(segments, start),
      end === Infinity ? levelAt(segments, start) : levelBefore(segments, end),
    ];
    const whole = end === Infinity ? Infinity : ((first + last) / 2) * (end - start);
    if (whole < left) {
      left -= whole;
      continue;
    }
    const slope = end === Infinity ? 0 : (last - first) / (end - start);
    return start + (slope === 0 ? left / first : (Math.sqrt(first ** 2 + 2 * slope * left) - first) / slope);
  }
  return Infinity;
}

/** Returns the level at the end of the segment that ends there, not at the start of the next one. */
const levelBefore = (segments: readonly Segment[], endMs: number): number =>
  segments.find((segment) => segment.endMs === endMs)?.to ?? 0;

/** Progress of a run, as far as it is known. */
interface Progression {
  /** `undefined` while forecasts contradict each other. */
  restMs: number | undefined;
  /** Share of the total time; never decreases. */
  doneShare: number;
}

/**
 * Smooths forecasts of the remaining time for display. They are computed once per second, because that is slower than
 * reading the counts. The first is shown when three consecutive ones agree; after that, the end moves by a third of the
 * distance to each forecast.
 */
export function followForecast(forecast: (live: Live) => number | undefined): (live: Live) => Progression {
  let second = -1;
  let agreeing = 0;
  let [latest, endMs] = [NaN, NaN];
  let doneShare = 0;
  const look = (now: number, restMs = Infinity): void => {
    if (!Number.isFinite(restMs)) return;
    const isAgreed = Math.abs(now + restMs - latest) <= Math.max(minMs, restMs * tolerance);
    agreeing = isAgreed ? agreeing + 1 : 0;
    latest = now + restMs;
    if (Number.isFinite(endMs)) endMs += (latest - endMs) * step;
    else if (agreeing >= enough) endMs = latest;
  };
  return (live) => {
    const { elapsedMs: now } = live;
    if (Math.floor(now / 1000) !== second) look(now, forecast(live));
    second = Math.floor(now / 1000);
    if (!Number.isFinite(endMs)) return { restMs: undefined, doneShare };
    doneShare = Math.max(doneShare, Math.min(1, now / Math.max(1, endMs)));
    return { restMs: Math.max(0, endMs - now), doneShare };
  };
}

const enough = 2;
const tolerance = 0.2;
const minMs = 1000;
const step = 1 / 3;
