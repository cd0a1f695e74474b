import { mean, scatter } from '../../statistics/averages.ts';
import type { Observed, RunFigure } from '../document/side.ts';

interface Matched {
  sitting: string | null;
  pair: string | null;
}

export type Design<T> =
  /** Both releases alternately within a batch of runs: drift affects both equally. */
  | { unit: 'pair'; pairs: readonly { base: T; head: T }[]; omitted: number }
  /** In common batches, not paired. `sharesAll`: every batch has runs of both sides. */
  | { unit: 'run'; base: readonly T[]; head: readonly T[]; sharesAll: boolean }
  /** No common batch: drift between batches is part of every difference, so a batch is one observation. */
  | { unit: 'sitting'; base: readonly (readonly T[])[]; head: readonly (readonly T[])[] };

export function matchRuns<T extends Matched>(base: readonly T[], head: readonly T[]): Design<T> {
  const pairs = pairUp(base, head);
  const omitted = base.length + head.length - 2 * pairs.length;
  // Runs without their partner are omitted only if they are few.
  if (pairs.length > 0 && omitted <= pairs.length) return { unit: 'pair', pairs, omitted };
  const [baseSittings, headSittings] = [sittingsOf(base), sittingsOf(head)];
  const shared = [...baseSittings.keys()].filter((sitting) => headSittings.has(sitting)).length;
  if (shared === 0) return { unit: 'sitting', base: [...baseSittings.values()], head: [...headSittings.values()] };
  return { unit: 'run', base, head, sharesAll: shared === baseSittings.size && shared === headSittings.size };
}

export function observationsOf<T>(design: Design<T>): { base: number; head: number } {
  return design.unit === 'pair'
    ? { base: design.pairs.length, head: design.pairs.length }
    : { base: design.base.length, head: design.head.length };
}

/** Returns the complete pairs; none unless every run has its own pair within its batch. */
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

/** Groups runs by batch, in order; a run without one is a separate batch. */
function sittingsOf<T extends Matched>(runs: readonly T[]): Map<unknown, T[]> {
  const sittings = new Map<unknown, T[]>();
  for (const run of runs) {
    const key = run.sitting ?? run;
    sittings.set(key, [...(sittings.get(key) ?? []), run]);
  }
  return sittings;
}

export interface Sample {
  levels: { base: number; head: number };
  observations: number;
  runs: number;
  variance: number;
  degrees: number;
  withinRuns: number;
  /** Contribution of the variance of runs within batches to the variance of an observation; 0 if each is one run. */
  betweenRuns: number;
  /** Degrees of freedom of `betweenRuns`. */
  runDegrees: number;
  isFloorKnown: boolean;
  /** Factor from the variance of one observation to the variance of the shift. */
  weight: number;
  sides: 1 | 2;
  perRun: number;
  /** Share of all assignments of observations to sides that separate the sides at least as far; used if the sides do not overlap. */
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
    runDegrees: 0,
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
    runDegrees: all.flat().length - all.length,
    isFloorKnown: all.flat().every(hasNoise),
    weight: 1 / base.length + 1 / head.length,
    sides: 2,
    perRun,
    shareAsClear: 2 / waysToChoose(base.length, all.length),
  };
}

const levelOf = (figures: Observation): number => mean(figures.map(({ level }) => level));

function runVariance(observations: readonly Observation[]): number {
  const degrees = observations.flat().length - observations.length;
  const squares = observations.map((figures) => scatter(figures.map(({ level }) => level)));
  return degrees === 0 ? 0 : squares.reduce((sum, each) => sum + each, 0) / degrees;
}

const hasNoise = ({ withinVariance }: RunFigure): boolean => withinVariance !== null;

function withinRuns(figures: Observation): number {
  const known = figures.flatMap(({ withinVariance }) => withinVariance ?? []);
  return known.length === 0 ? 0 : mean(known);
}

function waysToChoose(some: number, all: number): number {
  let ways = 1;
  for (let i = 1; i <= some; i++) ways *= (all - some + i) / i;
  return ways;
}
