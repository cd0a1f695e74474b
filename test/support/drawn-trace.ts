import { randomOf, type Random } from '../../src/base/random.ts';
import { ms } from '../../src/base/time.ts';
import type { Arrivals, Segment } from '../../src/plan/plan.ts';
import { arrivalOffsets } from '../../src/schedule/arrivals.ts';
import type { TracedSession, TraceSource } from '../../src/trace/trace.ts';

/** Distributions of a drawn trace. Times are in milliseconds. */
export interface DrawnWorkload {
  seed: number;
  sessions: number;
  /** Sessions a second: a level, or linear segments. */
  rate?: number | readonly Segment[];
  arrivals?: Arrivals;
  turns?: (random: Random) => () => number;
  gapMs?: (random: Random) => () => number;
  inputTokens?: (random: Random) => () => number;
  /** Clock resolution of the trace. */
  clockMs?: number;
}

/** A trace drawn from known distributions. */
export function drawTrace({
  seed,
  sessions,
  rate = 1,
  arrivals = { kind: 'gamma', burstiness: 1 },
  turns = () => () => 1,
  gapMs = () => () => 1000,
  inputTokens,
  clockMs = 0,
}: DrawnWorkload): TraceSource {
  const segments: readonly Segment[] =
    typeof rate === 'number' ? [{ startMs: ms(0), endMs: null, from: rate, to: rate }] : rate;
  const starts = arrivalOffsets({ segments, arrivals }, randomOf(seed, 1));
  const [drawTurns, drawGap, drawTokens] = [
    turns(randomOf(seed, 2)),
    gapMs(randomOf(seed, 3)),
    inputTokens?.(randomOf(seed, 4)),
  ];
  const tick = (at: number): number => (clockMs === 0 ? at : Math.floor(at / clockMs) * clockMs);
  const drawn: TracedSession[] = [];
  let first: number | undefined;
  for (const start of starts) {
    if (drawn.length === sessions) break;
    first ??= tick(start);
    let at = start as number;
    const instants = Array.from({ length: drawTurns() }, (_, index) => (index === 0 ? start : (at += drawGap())));
    drawn.push({
      atMs: tick(start) - first,
      turns: instants.map((each) => ({
        afterMs: tick(each) - tick(start),
        inputTokens: drawTokens === undefined ? null : Math.max(1, Math.round(drawTokens())),
        outputTokens: null,
        replyMs: null,
        waitMs: null,
      })),
    });
  }
  return traceOf(drawn);
}

/** A trace of these sessions, in memory. */
export function traceOf(sessions: readonly TracedSession[]): TraceSource {
  const at = (index: number): TracedSession => {
    const session = sessions[index];
    if (session === undefined) throw new RangeError('no such session');
    return session;
  };
  return {
    count: sessions.length,
    lengthMs: sessions.at(-1)?.atMs ?? 0,
    endMs: sessions.reduce((end, { atMs, turns }) => Math.max(end, atMs + (turns.at(-1)?.afterMs ?? 0)), 0),
    digest: 'drawn',
    at,
    startAt: (index) => {
      const { atMs, turns } = at(index);
      return { atMs, lengthMs: turns.at(-1)?.afterMs ?? 0, turns: turns.length };
    },
  };
}
