import { z } from 'zod';
import { ms, type Ms } from '../base/time.ts';
import type { Load, Plan, Segment } from './plan.ts';
import { lengthMs } from '../scenario/duration.ts';
import { meanOf, meanTurns } from './distributions.ts';
import type { Script } from './script.ts';
import { planSession } from './session-plan.ts';

export const forecastSchema = z.object({
  sessions: z
    .number()
    .nullable()
    .describe('Sessions that would start; a mean if arrivals or the duration determine it'),
  turns: z.number().nullable(),
  durationMs: lengthMs.nullable().describe('Time from the start of the first session to the end of the last one'),
  sessionMs: lengthMs.describe(
    'Mean length of a session: its creation and turns at the assumed reply time, and the think times between',
  ),
  queueMs: lengthMs.describe(
    'Time that a reply waits for a slot of the embedded service at the peak; 0 if its capacity is sufficient',
  ),
  peakLiveSessions: z
    .number()
    .describe("Little's law at the highest level: sessions live = sessions per second x session length"),
  peakTurnsInFlight: z.number(),
  peakTurnsPerSecond: z.number().nullable(),
  maxTurnsMs: lengthMs.nullable().describe('Approximate time at which maxTurns is reached; null if it is not'),
  maxSessionsMs: lengthMs.nullable().describe('Approximate time at which maxSessions is reached; null if it is not'),
});
/**
 * Forecast of a run in which replies take the assumed time and nothing fails. If the next session starts when one ends,
 * and nothing in a session takes a known time, the service and the generator set the pace: figures that depend on it are
 * `null`.
 */
export type Forecast = z.infer<typeof forecastSchema>;

/** Up to this number, sessions are derived to count their turns exactly. */
const countedSessions = 100_000;

/** Forecasts a run; `replyMs`: assumed time of a reply. */
export function forecast(plan: Plan, script: Script, replyMs: Ms): Forecast {
  const turnsPerSession = meanTurns(script.turns);
  const sessionMs = ms(
    Math.max(
      minSessionMs,
      replyMs + turnsPerSession * replyMs + Math.max(0, turnsPerSession - 1) * meanOf(plan.thinkTime),
    ),
  );
  const { load } = plan;
  const level = Math.max(...load.segments.map(({ from, to }) => Math.max(from, to)));
  const perSecond = load.model === 'open' ? level : (level * 1000) / sessionMs;
  const servedPerSecond = servable(plan, turnsPerSession * replyMs);
  if (Math.min(perSecond, maxPerSecond(load, sessionMs)) > servedPerSecond)
    return withQueue(plan, script, { replyMs, aloneMs: sessionMs, servedPerSecond });
  const live =
    load.model === 'open' ? Math.min((perSecond * sessionMs) / 1000, load.maxConcurrency ?? Infinity) : level;
  const startedMs = startingTime(plan, sessionMs);
  const sessions = Math.min(
    plan.sessions ?? Infinity,
    replayedWhole(load, { startedMs, sessionMs }) ?? Math.max(1, Math.round(startedWithin(load, startedMs, sessionMs))),
  );
  if (load.model === 'closed' && sessionMs <= minSessionMs) return withoutPace(plan, { script, sessionMs, live });
  const inFlight = (live * turnsPerSession * replyMs) / sessionMs;
  const turns = countTurns(script, sessions);
  const startOf = (session: number): number => timeToStart(load, session, { sessionMs, limitMs: plan.durationMs });
  return {
    sessions,
    turns,
    durationMs: ms(
      load.model === 'closed' && plan.sessions === sessions ? Math.max(startedMs, sessionMs) : startedMs + sessionMs,
    ),
    sessionMs,
    queueMs: ms(0),
    peakLiveSessions: Math.min(live, sessions),
    peakTurnsInFlight: Math.min(inFlight, load.maxTurnsInFlight ?? Infinity, sessions),
    peakTurnsPerSecond: (Math.min(live, sessions) * turnsPerSession * 1000) / sessionMs,
    // Under open load, a session's turns are sent half its length after its start, on average.
    maxTurnsMs:
      plan.maxTurns === null || plan.maxTurns >= turns
        ? null
        : ms(startOf(plan.maxTurns / turnsPerSession) + (load.model === 'open' ? sessionMs / 2 : 0)),
    maxSessionsMs: plan.maxSessions === null || plan.maxSessions >= sessions ? null : ms(startOf(plan.maxSessions)),
  };
}

/** Represents zero time. */
const minSessionMs = 0.001;

function withoutPace(
  { sessions, load }: Plan,
  { script, sessionMs, live }: { script: Script; sessionMs: Ms; live: number },
): Forecast {
  const peakLiveSessions = Math.min(live, sessions ?? Infinity);
  return {
    sessions,
    turns: sessions === null ? null : countTurns(script, sessions),
    durationMs: null,
    sessionMs,
    queueMs: ms(0),
    peakLiveSessions,
    peakTurnsInFlight: Math.min(peakLiveSessions, load.maxTurnsInFlight ?? Infinity),
    peakTurnsPerSecond: null,
    maxTurnsMs: null,
    maxSessionsMs: null,
  };
}

/** Returns the sessions per second that the embedded service can serve; `Infinity` without a capacity, and for other services. */
function servable({ embedded }: Plan, workMs: number): number {
  const capacity = embedded?.['capacity'];
  return typeof capacity === 'number' ? (capacity * 1000) / workMs : Infinity;
}

/** Sessions start faster than the embedded service can serve them: its capacity sets the pace, and replies wait. */
function withQueue(
  plan: Plan,
  script: Script,
  { replyMs, aloneMs, servedPerSecond }: { replyMs: Ms; aloneMs: Ms; servedPerSecond: number },
): Forecast {
  const turnsPerSession = meanTurns(script.turns);
  const queued = { plan, aloneMs, servedPerSecond };
  const flow = followQueue(queued);
  const drainMs = (flow.live * 1000) / servedPerSecond;
  const sessions = Math.min(plan.sessions ?? Infinity, Math.max(1, Math.round(flow.started)));
  const turns = countTurns(script, sessions);
  const sessionMs = ms(Math.max(aloneMs, (flow.totalMs + (flow.live * drainMs) / 2) / flow.started));
  const idleMs = aloneMs - turnsPerSession * replyMs;
  const perSecond = Math.min(servedPerSecond, (flow.peakLive * 1000) / aloneMs);
  const { maxTurns, maxSessions } = plan;
  const startOf = (session: number): number => followQueue(queued, ({ started }) => started >= session).atMs;
  return {
    sessions,
    turns,
    durationMs: ms(flow.atMs + Math.max(aloneMs, drainMs)),
    sessionMs,
    queueMs: ms(Math.max(0, (flow.peakLive * 1000) / servedPerSecond - aloneMs) / turnsPerSession),
    peakLiveSessions: flow.peakLive,
    peakTurnsInFlight: Math.min(flow.peakLive - (perSecond * idleMs) / 1000, plan.load.maxTurnsInFlight ?? Infinity),
    peakTurnsPerSecond: perSecond * turnsPerSession,
    maxTurnsMs: maxTurns === null || maxTurns >= turns ? null : ms(startOf(maxTurns / turnsPerSession) + sessionMs / 2),
    maxSessionsMs: maxSessions === null || maxSessions >= sessions ? null : ms(startOf(maxSessions)),
  };
}

/** Returns the time during which sessions start: the duration, or until their number is reached. */
const startingTime = ({ durationMs, sessions, load }: Plan, sessionMs: Ms): number =>
  sessions === null ? (durationMs ?? Infinity) : timeToStart(load, sessions, { sessionMs, limitMs: durationMs });

/** Returns the number of sessions of a trace that is replayed to its end without ever reaching the bound on live sessions. */
function replayedWhole(load: Load, { startedMs, sessionMs }: { startedMs: number; sessionMs: Ms }): number | undefined {
  if (load.model !== 'open' || load.trace === undefined) return undefined;
  const { segments, trace } = load;
  const max = maxPerSecond(load, sessionMs);
  const isWhole = startedMs >= (segments.at(-1)?.startMs ?? Infinity) && segments.every(({ to }) => to <= max);
  return isWhole ? trace.sessions : undefined;
}

/** Returns the rate of starts to which the bound on live sessions limits open load. */
const maxPerSecond = (load: Load, sessionMs: Ms): number =>
  load.model === 'open' ? ((load.maxConcurrency ?? Infinity) * 1000) / sessionMs : Infinity;

/** Returns the time at which this number of sessions has started, or the earlier limit. */
function timeToStart(
  load: Load,
  sessions: number,
  { sessionMs, limitMs }: { sessionMs: Ms; limitMs: number | null },
): number {
  let [low, high] = [0, Math.min(limitMs ?? Infinity, maxMs)];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (startedWithin(load, middle, sessionMs) < sessions) low = middle;
    else high = middle;
  }
  return high;
}

const maxMs = 365 * 24 * 3_600_000;

/**
 * Returns the sessions started in the first `lengthMs`: the area under the level, divided by the session length for
 * closed load, and limited by the bound on live sessions for open load.
 */
function startedWithin(load: Load, lengthMs: number, sessionMs: Ms): number {
  const max = maxPerSecond(load, sessionMs);
  const area = load.segments.reduce((sum, { startMs, endMs, from, to }) => {
    const end = Math.min(endMs ?? Infinity, lengthMs);
    if (end <= startMs) return sum;
    const last = levelIn({ startMs, endMs, from, to }, end);
    return sum + Math.min((from + last) / 2, max) * (end - startMs);
  }, 0);
  return area / (load.model === 'open' ? 1000 : sessionMs);
}

/** Counts the turns of all sessions; estimates them by the mean if counting would take long. */
function countTurns(script: Script, sessions: number): number {
  if (sessions > countedSessions) return Math.round(sessions * meanTurns(script.turns));
  let turns = 0;
  for (let number = 1; number <= sessions; number++) turns += planSession(script, number).turns;
  return turns;
}

/** A load with more sessions than a service of limited capacity can serve, modelled as a fluid. */
interface QueuedLoad {
  plan: Pick<Plan, 'load' | 'durationMs' | 'sessions'>;
  /** Length of a session without waiting. */
  aloneMs: number;
  /** Sessions per second that the service can serve. */
  servedPerSecond: number;
}

/** State of the model. Numbers of sessions include fractions; `totalMs` is the sum of their lengths so far. */
type QueuedFlow = Record<'atMs' | 'started' | 'live' | 'peakLive' | 'totalMs', number>;

/**
 * Follows such a load until no more sessions start, or `isFar` returns true:
 *
 *     due -> [ wait or are dropped while the maximum is live ] -> live -> served
 */
function followQueue(queued: QueuedLoad, isFar: (flow: QueuedFlow) => boolean = () => false): QueuedFlow {
  const { plan, aloneMs, servedPerSecond } = queued;
  const { load, durationMs, sessions } = plan;
  const lengthMs = durationMs ?? Infinity;
  const stepMs = stepOf(queued);
  const flow = { atMs: 0, started: 0, live: 0, peakLive: 0, totalMs: 0 };
  let waiting = 0;
  while (flow.atMs < lengthMs && flow.started < (sessions ?? Infinity) && !isFar(flow)) {
    flow.live -= Math.min(flow.live, (Math.min(servedPerSecond, (flow.live * 1000) / aloneMs) * stepMs) / 1000);
    const level = levelAt(load, flow.atMs + stepMs / 2);
    const isOpen = load.model === 'open';
    const room = Math.max(0, (isOpen ? (load.maxConcurrency ?? Infinity) : level) - flow.live);
    const due = isOpen ? waiting + (level * stepMs) / 1000 : Infinity;
    const entering = Math.min(due, room, (sessions ?? Infinity) - flow.started);
    waiting = isOpen && load.whenFull === 'wait' ? due - entering : 0;
    flow.started += entering;
    flow.live += entering;
    flow.peakLive = Math.max(flow.peakLive, flow.live);
    flow.totalMs += flow.live * stepMs;
    flow.atMs += stepMs;
  }
  return flow;
}

/** Returns a step well below the length of a session, unless that would take too many steps. */
function stepOf({ plan: { load, durationMs, sessions }, aloneMs, servedPerSecond }: QueuedLoad): number {
  const servingMs = sessions === null ? Infinity : (sessions * 1000) / servedPerSecond;
  const lastMs = load.segments.at(-1)?.startMs ?? 0;
  return Math.max(aloneMs / 20, Math.min(durationMs ?? Infinity, lastMs + servingMs) / maxSteps);
}

const maxSteps = 200_000;

const levelAt = ({ segments }: Load, atMs: number): number =>
  levelIn(segments.find(({ endMs }) => atMs < (endMs ?? Infinity)) ?? noSegment, atMs);

const levelIn = ({ startMs, endMs, from, to }: Segment, atMs: number): number =>
  endMs === null ? from : from + ((to - from) * (atMs - startMs)) / (endMs - startMs);

const noSegment: Segment = { startMs: ms(0), endMs: null, from: 0, to: 0 };
