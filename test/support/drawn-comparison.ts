import { randomNormal } from 'd3-random';
import type { MetricHistory } from '../../src/compare/document/history.ts';
import type { MeasuredMetric } from '../../src/compare/statistics/judge-family.ts';
import { mean, scatter } from '../../src/statistics/averages.ts';
import type { MetricRule } from '../../src/compare/metrics/metric-rules.ts';
import type { Observed, RunFigure } from '../../src/compare/document/side.ts';
import type { Random } from '../../src/base/random.ts';
import type { Figures } from './model-figures.ts';

/** Parameters of a drawn comparison: a pool of equal runs, and the change between them. */
export interface DrawOptions {
  runsPerSide: number;
  /** The run-to-run noise: the standard deviation of the logarithm of a factor on all latencies of a run. */
  noise: number;
  /** Drift between batches; only used if a design is exposed to it. */
  drift?: number;
  design?: 'run' | 'pair' | 'sitting';
  random: Random;
}

interface DrawnRun {
  figures: Figures;
  /** On the scale of logarithms. */
  slower: number;
}

export interface DrawnComparison {
  base: readonly DrawnRun[];
  head: readonly DrawnRun[];
  /** Twenty earlier batches, or twenty runs of one batch. */
  history: readonly (readonly DrawnRun[])[];
  design: 'run' | 'pair' | 'sitting';
}

const historyLength = 20;

/** Two sides of one release, and a history from which the noise is estimated. */
export function drawComparison(pool: readonly Figures[], options: DrawOptions): DrawnComparison {
  const { runsPerSide, noise, drift = 0, design = 'run', random } = options;
  const normal = randomNormal.source(random)(0, 1);
  const drawn = withoutReplacement(pool, { count: 2 * runsPerSide, random });
  const drifts = Array.from({ length: Math.max(2, runsPerSide) }, () => drift * normal());
  // The runs of a pair drift together; without pairs, the runs of a side do.
  const driftOf = (side: 0 | 1, number: number): number => drifts[design === 'pair' ? number : side] ?? 0;
  const side = (which: 0 | 1): DrawnRun[] =>
    drawn
      .slice(which * runsPerSide, (which + 1) * runsPerSide)
      .map((figures, number) => ({ figures, slower: noise * normal() + driftOf(which, number) }));
  const drawOne = (): Figures => pool[Math.floor(random() * pool.length)] ?? new Map();
  const history = Array.from({ length: historyLength }, () => {
    // The variance of runs is that within their sittings, where nothing drifts.
    const [runs, together] = design === 'sitting' ? [runsPerSide, drift * normal()] : [1, 0];
    return Array.from({ length: runs }, () => ({ figures: drawOne(), slower: noise * normal() + together }));
  });
  return { base: side(0), head: side(1), history, design };
}

/** The metrics of a drawn comparison, with the head slower by a factor (as a logarithm) that may differ by metric. */
export function measuredOf(
  drawn: DrawnComparison,
  rules: readonly MetricRule[],
  slower: (rule: MetricRule) => number = () => 0,
): MeasuredMetric[] {
  return rules.map((rule) => ({
    rule,
    base: observedOf(drawn.base, { rule, design: drawn.design, side: 'base', slower: 0 }),
    head: observedOf(drawn.head, { rule, design: drawn.design, side: 'head', slower: slower(rule) }),
    history: historyOf(drawn, rule),
  }));
}

interface Side {
  rule: MetricRule;
  design: DrawnComparison['design'];
  side: 'base' | 'head';
  slower: number;
}

const observedOf = (runs: readonly DrawnRun[], { rule, design, side, slower }: Side): Observed[] =>
  runs.flatMap((run, number) => {
    const figure = figureOf(run, rule);
    if (figure === undefined) return [];
    return {
      figure: { ...figure, level: figure.level + (rule.unit === 'ms' ? slower : 0) },
      sitting: design === 'sitting' ? side : 'tonight',
      pair: design === 'pair' ? String(number) : null,
    };
  });

function figureOf({ figures, slower }: DrawnRun, rule: MetricRule): RunFigure | undefined {
  const figure = figures.get(rule.name);
  if (figure === undefined || rule.unit !== 'ms') return figure;
  return { ...figure, level: figure.level + slower };
}

/** Returns the history: twenty runs of one batch for the noise of runs, twenty batches for the noise of batches. */
function historyOf({ history, design }: DrawnComparison, rule: MetricRule): MetricHistory {
  const levels = history.map((runs) => mean(runs.map((run) => figureOf(run, rule)?.level ?? NaN)));
  const variance = scatter(levels) / (levels.length - 1);
  const known = { variance, degrees: levels.length - 1 };
  if (design === 'sitting')
    return {
      runVariance: null,
      runDegrees: 0,
      sittingVariance: known.variance,
      sittingDegrees: known.degrees,
      runsPerSitting: history[0]?.length ?? 1,
    };
  return {
    runVariance: known.variance,
    runDegrees: known.degrees,
    sittingVariance: null,
    sittingDegrees: 0,
    runsPerSitting: 1,
  };
}

function withoutReplacement<T>(pool: readonly T[], { count, random }: { count: number; random: Random }): T[] {
  const left = [...pool];
  return Array.from({ length: count }, () => left.splice(Math.floor(random() * left.length), 1)).flat();
}
