import type { Interval } from '../sections/intervals.ts';
import type { ReadTurnTimes } from './turn-times.ts';

/** Neighbouring intervals as one. */
export interface DriftSegment {
  intervals: readonly Interval[];
  /** Of `times`: from one index to before another. */
  from: number;
  to: number;
  times: ReadTurnTimes;
}

export type DriftUnit = 'ms' | 'share' | 'perSecond' | 'bytes';

/** A figure that is followed through a run. */
export interface DriftSeries {
  name: string;
  subject: 'service' | 'generator';
  unit: DriftUnit;
  /** Where a drift goes when things get worse. */
  worse: 'higher' | 'lower';
  /** Changes over the run that are less than either are no drift: as a share of the level (of a share: in absolute terms), and in the unit. */
  least: { change: number; absolute: number };
  /** The value in a stretch; `undefined` where there is too little to tell. */
  read: (stretch: DriftSegment) => number | undefined;
}

/** A quantile is read from so many turns at least: two in its tail for a median that is worth something, and for a p95. */
const floors = { p50: 11, mean: 11, p95: 50, share: 11 };
/** Below one per cent over the whole run nobody would do anything about it. */
const leastRelative = { change: 0.01, absolute: 0 };
/** A tenth of a percentage point. */
const leastShare = { change: 0.001, absolute: 0 };
/** A JavaScript heap finds its size in the first minutes. */
const leastMemory = { change: 0.2, absolute: 20e6 };
const leastDelay = { change: 0.5, absolute: 2 };

/** What of the service can drift. Latency is that of ok turns: failing fast is no improvement. */
export const serviceSeries: readonly DriftSeries[] = [
  latency('turn.p50', floors.p50, ({ times, from, to }) => times(from, to)?.p50),
  latency('turn.p95', floors.p95, ({ times, from, to }) => times(from, to)?.p95),
  latency('turn.mean', floors.mean, ({ intervals }) => {
    const turns = intervals.flatMap(({ latency }) => latency['turn.ok'] ?? []);
    const mean = sum(turns, ({ sumMs }) => sumMs) / sum(turns, ({ count }) => count);
    return mean > 0 ? mean : undefined;
  }),
  share('turns.failedShare', 'higher', ({ turns }) => turns.failed),
  {
    ...{ name: 'rates.turnsPerSecond', subject: 'service', unit: 'perSecond', worse: 'lower', least: leastRelative },
    read: ({ intervals }) => {
      const turns = sum(intervals, finished);
      return turns === 0 ? undefined : (turns * 1000) / sum(intervals, ({ lengthMs }) => lengthMs);
    },
  },
  share('goodput.share', 'lower', ({ turns }) => turns.good),
];

/** What of the generator can: its own drift must not be blamed on the service. */
export const generatorSeries: readonly DriftSeries[] = [
  generator('generator.rss', 'bytes', ({ rssBytes }) => rssBytes),
  generator('generator.heap', 'bytes', ({ heapBytes }) => heapBytes),
  generator('generator.eventLoopDelay', 'ms', ({ eventLoopDelayP99Ms }) => eventLoopDelayP99Ms),
];

function latency(name: string, floor: number, read: DriftSeries['read']): DriftSeries {
  return {
    ...{ name, subject: 'service', unit: 'ms', worse: 'higher', least: leastRelative },
    read: (stretch) => (sum(stretch.intervals, ({ turns }) => turns.ok) < floor ? undefined : read(stretch)),
  };
}

function share(name: string, worse: DriftSeries['worse'], countOf: (interval: Interval) => number): DriftSeries {
  return {
    ...{ name, subject: 'service', unit: 'share', worse, least: leastShare },
    read: ({ intervals }) => {
      const all = sum(intervals, finished);
      return all < floors.share ? undefined : sum(intervals, countOf) / all;
    },
  };
}

function generator(
  name: string,
  unit: DriftUnit,
  valueOf: (generator: NonNullable<Interval['generator']>) => number,
): DriftSeries {
  return {
    ...{ name, subject: 'generator', unit, worse: 'higher', least: unit === 'bytes' ? leastMemory : leastDelay },
    read: ({ intervals }) => {
      const known = intervals.flatMap((interval) => interval.generator ?? []).map(valueOf);
      const mean = sum(known, (value) => value) / known.length;
      return mean > 0 ? mean : undefined;
    },
  };
}

const finished = ({ turns }: Interval): number => turns.ok + turns.failed;

const sum = <Part>(parts: readonly Part[], valueOf: (part: Part) => number): number =>
  parts.reduce((total, part) => total + valueOf(part), 0);
