import type { TracedSession, TracedStart, TracedTurn, TraceSource } from './trace.ts';

/** The part of a trace that is replayed. */
export interface TraceWindow {
  /** Since the first request of the trace. */
  fromMs: number;
  /** `null`: to its end. */
  forMs: number | null;
  /** Speed relative to the recording. */
  speed: number;
}

/** Returns the sessions of a trace that start in a window, with times relative to its start, at the speed. Reply times stay unchanged. */
export function windowTrace(trace: TraceSource, { fromMs, forMs, speed }: TraceWindow): TraceSource {
  const first = firstAt(trace, fromMs);
  const count = (forMs === null ? trace.count : firstAt(trace, fromMs + forMs)) - first;
  const startAt = (index: number): TracedStart => {
    const { atMs, lengthMs, turns } = trace.startAt(first + inside(index, count));
    return { atMs: (atMs - fromMs) / speed, lengthMs: lengthMs / speed, turns };
  };
  const at = (index: number): TracedSession => {
    const { atMs, turns } = trace.at(first + inside(index, count));
    return { atMs: (atMs - fromMs) / speed, turns: turns.map((turn) => faster(turn, speed)) };
  };
  return {
    count,
    lengthMs: count === 0 ? 0 : startAt(count - 1).atMs,
    endMs: Math.max(0, Math.min(trace.endMs - fromMs, forMs ?? Infinity)) / speed,
    digest: trace.digest,
    at,
    startAt,
  };
}

const faster = (turn: TracedTurn, speed: number): TracedTurn => ({
  ...turn,
  afterMs: turn.afterMs / speed,
  waitMs: turn.waitMs === null ? null : turn.waitMs / speed,
});

function inside(index: number, count: number): number {
  if (index >= 0 && index < count) return index;
  throw new RangeError(`a window of ${String(count)} sessions has no session ${String(index)}`);
}

/** Returns the first session that starts at or after an instant. */
function firstAt(trace: TraceSource, atMs: number): number {
  let [low, high] = [0, trace.count];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (trace.startAt(middle).atMs < atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
