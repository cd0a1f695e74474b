import { nanosPerUnit } from '../../plan/prices.ts';
import { sumBy } from '../../statistics/averages.ts';
import { unknownText, type Cost } from '../sections/cost.ts';
import { isAttributed, type Model } from '../sections/model.ts';
import type { Interval } from '../sections/intervals.ts';

export interface Times {
  p50: number;
  p95: number;
}

export type FollowedPart = 'turn.ok' | 'firstToken.ok';

/** Reads a series from one interval to before another, by index; `undefined` without values. */
export type ReadTimes = (part: FollowedPart, from: number, to: number) => Times | undefined;

/** The part of a plan that decides which series are followed. */
export interface FollowedPlan {
  load: { model: 'open' | 'closed' };
  objectiveMs: number | null;
  objectiveFirstTokenMs: number | null;
  target: { stream: boolean };
  cost: object | null;
  prices: object | null;
  model?: object | undefined;
}

interface DriftSegment {
  intervals: readonly Interval[];
  from: number;
  to: number;
  times: ReadTimes;
}

export type DriftUnit = 'ms' | 'share' | 'perSecond' | 'bytes' | 'cost';

export interface DriftReading {
  unit: DriftUnit;
  /** Minimum changes over the run for a drift: as a share of the level (for a share: absolute), and in the unit. */
  min: { change: number; absolute: number };
  read: (segment: DriftSegment) => number | undefined;
  /** Reports whether it is meaningful under a plan; default: always. */
  isApplicable?: (plan: FollowedPlan) => boolean;
  /** Returns the reason why its drift in a result is not evidence; `undefined`: it is. */
  doubtIn?: (result: { cost: Cost | null; model: Model | null }) => string | undefined;
}

export interface DriftSeries extends DriftReading {
  name: string;
  subject: 'service' | 'generator';
  worse: 'higher' | 'lower';
}

/** Minimum number of turns for a statistic: two in its tail for a useful median, and for a p95. */
const floors = { p50: 11, mean: 11, p95: 50, share: 11 };
/** Changes below one per cent over the whole run are irrelevant. */
const minRelative = { change: 0.01, absolute: 0 };
/** A tenth of a percentage point. */
const minShare = { change: 0.001, absolute: 0 };
/** A JavaScript heap reaches its final size in the first minutes. */
const minMemory = { change: 0.2, absolute: 20e6 };
const minDelay = { change: 0.5, absolute: 2 };

/** Follows the latency of ok turns: failing fast is not an improvement. */
export function followTurns(statistic: 'p50' | 'p95' | 'mean'): DriftReading {
  const read =
    statistic === 'mean' ? meanTurn : ({ times, from, to }: DriftSegment) => times('turn.ok', from, to)?.[statistic];
  const floor = floors[statistic];
  return {
    unit: 'ms',
    min: minRelative,
    read: (segment) => (sumBy(segment.intervals, ({ turns }) => turns.ok) < floor ? undefined : read(segment)),
  };
}

export function followFirstTokens(statistic: 'p50' | 'p95'): DriftReading {
  return {
    unit: 'ms',
    min: minRelative,
    isApplicable: ({ target }) => target.stream,
    read: ({ intervals, times, from, to }) =>
      sumBy(intervals, ({ latency }) => latency['firstToken.ok']?.count ?? 0) < floors[statistic]
        ? undefined
        : times('firstToken.ok', from, to)?.[statistic],
  };
}

/** Follows the mean of a part of attempts with model calls: shows whether the model or the agent becomes slower. */
export function followModel(series: 'model.time' | 'model.agentTime'): DriftReading {
  return {
    unit: 'ms',
    min: minRelative,
    isApplicable: ({ model }) => model !== undefined,
    read: ({ intervals }) => {
      const callsIn = (name: 'attributed' | 'calls') => sumBy(intervals, ({ model }) => model?.[name] ?? 0);
      if (!isAttributed(callsIn('attributed'), callsIn('calls'))) return undefined;
      const parts = intervals.flatMap(({ latency }) => latency[series] ?? []);
      const count = sumBy(parts, (part) => part.count);
      return count < floors.mean ? undefined : sumBy(parts, ({ sumMs }) => sumMs) / count || undefined;
    },
  };
}

export function followShare(countOf: (interval: Interval) => number): DriftReading {
  return {
    unit: 'share',
    min: minShare,
    read: ({ intervals }) => {
      const all = sumBy(intervals, finished);
      return all < floors.share ? undefined : sumBy(intervals, countOf) / all;
    },
  };
}

export const followRate: DriftReading = {
  unit: 'perSecond',
  min: minRelative,
  read: ({ intervals }) => {
    const turns = sumBy(intervals, finished);
    return turns === 0 ? undefined : (turns * 1000) / sumBy(intervals, ({ lengthMs }) => lengthMs);
  },
};

/** Follows the cost per ended turn, as far as it is known. */
export const followCost: DriftReading = {
  unit: 'cost',
  min: minRelative,
  isApplicable: ({ cost, prices }) => cost !== null || prices !== null,
  doubtIn: ({ cost }) => unknownText(cost),
  read: ({ intervals }) => {
    const turns = sumBy(intervals, finished);
    const nanos = sumBy(intervals, ({ usage }) => usage?.costNanos ?? 0);
    return turns < floors.mean || nanos === 0 ? undefined : nanos / nanosPerUnit / turns;
  },
};

export function followGenerator(
  unit: 'bytes' | 'ms',
  valueOf: (generator: NonNullable<Interval['generator']>) => number,
): DriftReading {
  return {
    unit,
    min: unit === 'bytes' ? minMemory : minDelay,
    read: ({ intervals }) => {
      const known = intervals.flatMap((interval) => interval.generator ?? []).map(valueOf);
      const mean = sumBy(known, (value) => value) / known.length;
      return mean > 0 ? mean : undefined;
    },
  };
}

function meanTurn({ intervals }: DriftSegment): number | undefined {
  const turns = intervals.flatMap(({ latency }) => latency['turn.ok'] ?? []);
  const mean = sumBy(turns, ({ sumMs }) => sumMs) / sumBy(turns, ({ count }) => count);
  return mean > 0 ? mean : undefined;
}

const finished = ({ turns }: Interval): number => turns.ok + turns.failed;
