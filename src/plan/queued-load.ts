import type { Plan } from './plan.ts';

/** A load whose sessions come faster than a service of limited capacity serves them, as a fluid. */
interface QueuedLoad {
  plan: Pick<Plan, 'load' | 'durationMs' | 'sessions'>;
  /** The length of a session that waits for nothing. */
  aloneMs: number;
  /** The sessions that the service can serve a second. */
  servedPerSecond: number;
}

/** How far it has come. Numbers of sessions, fractions included. */
interface QueuedFlow {
  atMs: number;
  started: number;
  live: number;
  peakLive: number;
  /** The sum of all lengths of sessions so far. */
  totalMs: number;
}

/**
 * Follows such a load until no more sessions start, or `isFar` says so:
 *
 *     due -> [ wait or are dropped while as many are live as may be ] -> live -> served
 */
export function followQueue(queued: QueuedLoad, isFar: (flow: QueuedFlow) => boolean = () => false): QueuedFlow {
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

/** Well below the length of a session, where that does not take too long. */
function stepOf({ plan: { load, durationMs, sessions }, aloneMs, servedPerSecond }: QueuedLoad): number {
  const servingMs = sessions === null ? Infinity : (sessions * 1000) / servedPerSecond;
  const lastMs = load.segments.at(-1)?.startMs ?? 0;
  return Math.max(aloneMs / 20, Math.min(durationMs ?? Infinity, lastMs + servingMs) / mostSteps);
}

const mostSteps = 200_000;

function levelAt({ segments }: Plan['load'], atMs: number): number {
  const { startMs, endMs, from, to } = segments.find((each) => atMs < (each.endMs ?? Infinity)) ?? noSegment;
  return endMs === null ? from : from + ((to - from) * (atMs - startMs)) / (endMs - startMs);
}

const noSegment = { startMs: 0, endMs: null, from: 0, to: 0 };
