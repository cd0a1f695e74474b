import { ms, type Ms } from '../base/time.ts';
import type { Segment } from './plan.ts';

/** More levels would make plans long, and charts no better. */
const mostLevels = 120;
const second = 1000;
const niceMs = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 43_200, 86_400].map(
  (seconds) => seconds * second,
);

interface Levels {
  /** Counts a session that starts then, in milliseconds. */
  add: (atMs: number) => void;
  /** Sessions per second over time; 0 behind the end. */
  segments: () => Segment[];
}

/** Clocks in binary fractions miss the edge of a step by less. */
const edgeMs = 0.001;

/** The length of the steps of a trace that long: a second or more. */
export function levelStepMs(durationMs: Ms): number {
  return niceMs.find((each) => durationMs / each <= mostLevels) ?? durationMs / mostLevels;
}

/**
 * The rate of a trace over time, in steps of a second or more, as levels of open load have it. A last step that is cut
 * short has the rate of the whole step that ends with the trace: one session at the very end is no peak.
 */
export function levelsOf(durationMs: Ms): Levels {
  const stepMs = levelStepMs(durationMs);
  const counts = Array.from({ length: Math.max(1, Math.ceil(durationMs / stepMs)) }, () => 0);
  const isCut = counts.length * stepMs > durationMs;
  let atEnd = 0;
  return {
    add: (atMs) => {
      const step = Math.floor((atMs + edgeMs) / stepMs);
      if (step < counts.length) counts[step] = (counts[step] ?? 0) + 1;
      if (atMs + edgeMs >= durationMs - stepMs) atEnd++;
    },
    segments: () => [
      ...joined(
        counts.map((count, step) => {
          const startMs = ms(step * stepMs);
          const endMs = ms(Math.min(durationMs, (step + 1) * stepMs));
          const level = ((isCut && step === counts.length - 1 ? atEnd : count) * second) / stepMs;
          return { startMs, endMs, from: level, to: level };
        }),
      ),
      { startMs: durationMs, endMs: null, from: 0, to: 0 },
    ],
  };
}

/** Neighbours of one level are one segment. */
function joined(segments: readonly Segment[]): Segment[] {
  const result: Segment[] = [];
  for (const segment of segments) {
    const last = result.at(-1);
    if (last?.to === segment.from) last.endMs = segment.endMs;
    else result.push({ ...segment });
  }
  return result;
}
