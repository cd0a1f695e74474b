import { mean, scatter } from '../../statistics/averages.ts';
import type { Observed, RunFigure } from '../document/side.ts';

/** How runs belong together. */
interface Matched {
  sitting: string | null;
  pair: string | null;
}

/** What counts as one observation, from the best design to the weakest. */
export type Design<T> =
  /** Both releases alternately within a sitting: drift affects both equally. */
  | { unit: 'pair'; pairs: readonly { base: T; head: T }[]; leftOut: number }
  /** In common sittings, not paired. `sharesAll`: no sitting is on one side alone. */
  | { unit: 'run'; base: readonly T[]; head: readonly T[]; sharesAll: boolean }
  /** No common sitting: drift between sittings is in every difference, so a sitting is one observation. */
  | { unit: 'sitting'; base: readonly (readonly T[])[]; head: readonly (readonly T[])[] };

/** How the runs of two sides can be compared. */
export function matchRuns<T extends Matched>(base: readonly T[], head: readonly T[]): Design<T> {
  const pairs = pairUp(base, head);
  const leftOut = base.length + head.length - 2 * pairs.length;
  // A few runs without their partner are left out, many are not.
  if (pairs.length > 0 && leftOut <= pairs.length) return { unit: 'pair', pairs, leftOut };
  const [baseSittings, headSittings] = [sittingsOf(base), sittingsOf(head)];
  const shared = [...baseSittings.keys()].filter((sitting) => headSittings.has(sitting)).length;
  if (shared === 0) return { unit: 'sitting', base: [...baseSittings.values()], head: [...headSittings.values()] };
  return { unit: 'run', base, head, sharesAll: shared === baseSittings.size && shared === headSittings.size };
}

/** How many observations a side has. */
export function observationsOf<T>(design: Design<T>): { base: number; head: number } {
  return design.unit === 'pair'
    ? { base: design.pairs.length, head: design.pairs.length }
    : { base: design.base.length, head: design.head.length };
}

/** The complete pairs; none unless every run has a pair of its own within its sitting. */
function pairUp<T extends Matched>(base: readonly T[], head: readonly T[]): { base: T; head: T }[] {
  if (![...base, ...head].every(({ sitting, pair }) => sitting !== null && pair !== null)) return [];
  const [bases, heads] = [base, head].map((runs) => new Map(runs.map((run) => [pairKey(run), run])));
  if (bases?.size !== base.length || heads?.size !== head.length) return [];
  return [...bases].flatMap(([key, run]) => {
    const partner = heads.get(key);
    return partner === undefined ? [] : [{ base: run, head: partner }];
  });
}

const pairKey = ({ sitting, pair }: Matched): string => JSON.stringify([sitting, pair]);

/** Runs by their sitting, in order; a run without one is a sitting of its own. */
function sittingsOf<T extends Matched>(runs: readonly T[]): Map<unknown, T[]> {
  const sittings = new Map<unknown, T[]>();
  for (const run of runs) {
    const key = run.sitting ?? run;
    sittings.set(key, [...(sittings.get(key) ?? []), run]);
  }
  return sittings;
}

/** The part of the runs that the statistics need. */
export interface Sample {
  levels: { base: number; head: number };
  /** Of the side with fewer of them. */
  observations: number;
  /** Of the side with fewer of them. */
  runs: number;
  /** Between observations, with its degrees of freedom. */
  variance: number;
  degrees: number;
  /** The part of the variance that comes from within the runs. */
  withinRuns: number;
  /** What the scatter of runs within sittings adds to the variance of an observation; 0 where each is one run. */
  betweenRuns: number;
  /** Whether every run showed its own part of it. */
  isFloorKnown: boolean;
  /** What makes the variance of one observation that of the shift. */
  weight: number;
  sides: 1 | 2;
  /** The mean of 1 / runs over the sittings. */
  perRun: number;
  /**
   * Of all assignments of the observations to the sides, the share with the sides this far apart, if they do not
   * overlap.
   */
  shareAsClear: number;
}

export function sampleOf(design: Design<Observed>): Sample {
  switch (design.unit) {
    case 'pair':
      return samplePairs(design.pairs.map(({ base, head }) => [base.figure, head.figure]));
    case 'run':
      return sampleSides(
        design.base.map((run) => together([run])),
        design.head.map((run) => together([run])),
      );
    case 'sitting':
      return sampleSides(design.base.map(together), design.head.map(together));
  }
}

function samplePairs(pairs: readonly (readonly [RunFigure, RunFigure])[]): Sample {
  const { length } = pairs;
  const [base, head] = [pairs.map(([figure]) => figure), pairs.map(([, figure]) => figure)];
  return {
    levels: { base: levelOf(base), head: levelOf(head) },
    observations: length,
    runs: length,
    variance: length > 1 ? scatter(pairs.map(([from, to]) => to.level - from.level)) / (length - 1) : 0,
    degrees: length - 1,
    withinRuns: withinRuns(base) + withinRuns(head),
    betweenRuns: 0,
    isFloorKnown: [...base, ...head].every(hasNoise),
    weight: 1 / length,
    sides: 1,
    perRun: 1,
    shareAsClear: 2 ** (1 - length),
  };
}

type Observation = readonly RunFigure[];

const together = (runs: readonly Observed[]): Observation => runs.map(({ figure }) => figure);

function sampleSides(base: readonly Observation[], head: readonly Observation[]): Sample {
  const all = [...base, ...head];
  const [baseLevels, headLevels] = [base.map(levelOf), head.map(levelOf)];
  const degrees = all.length - 2;
  const perRun = mean(all.map(({ length }) => 1 / length));
  return {
    levels: { base: mean(baseLevels), head: mean(headLevels) },
    observations: Math.min(base.length, head.length),
    runs: Math.min(base.flat().length, head.flat().length),
    variance: degrees > 0 ? (scatter(baseLevels) + scatter(headLevels)) / degrees : 0,
    degrees,
    withinRuns: mean(all.map((figures) => withinRuns(figures) / figures.length)),
    betweenRuns: runVariance(all) * perRun,
    isFloorKnown: all.flat().every(hasNoise),
    weight: 1 / base.length + 1 / head.length,
    sides: 2,
    perRun,
    shareAsClear: 2 / waysToChoose(base.length, all.length),
  };
}

const levelOf = (figures: Observation): number => mean(figures.map(({ level }) => level));

/** Pooled over the observations; 0 where none has two runs. */
function runVariance(observations: readonly Observation[]): number {
  const degrees = observations.flat().length - observations.length;
  const squares = observations.map((figures) => scatter(figures.map(({ level }) => level)));
  return degrees === 0 ? 0 : squares.reduce((sum, each) => sum + each, 0) / degrees;
}

const hasNoise = ({ withinVariance }: RunFigure): boolean => withinVariance !== null;

/** The mean over the runs that have it; 0 when none does. */
function withinRuns(figures: Observation): number {
  const known = figures.flatMap(({ withinVariance }) => withinVariance ?? []);
  return known.length === 0 ? 0 : mean(known);
}

function waysToChoose(some: number, all: number): number {
  let ways = 1;
  for (let i = 1; i <= some; i++) ways *= (all - some + i) / i;
  return ways;
}
