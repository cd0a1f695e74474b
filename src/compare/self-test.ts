import { figuresOf } from './figures/read-figure.ts';
import { metricRules, type MetricRule } from './metrics/metric-rules.ts';
import type { Side, Observed } from './document/side.ts';
import { randomOf, type Random } from '../base/random.ts';
import type { MetricHistory } from './document/history.ts';
import { judgeFamily } from './statistics/judge-family.ts';

export interface SelfTest {
  runs: number;
  runsPerSide: number;
  draws: number;
  /** Draws in which a gated metric changed: all of them false alarms. */
  alarms: number;
}

const maxPerSide = 5;

/** Divides the runs of one release between two sides repeatedly; `null` with fewer than ten runs. */
export function selfTestResults({ runs }: Side, { q }: { q: number }): SelfTest | null {
  if (runs.length < minSelfTestRuns) return null;
  const runsPerSide = Math.min(maxPerSide, Math.floor(runs.length / 2));
  const found = selfTest(ownRuns(runs), { runsPerSide, q });
  return found === null ? null : { runs: runs.length, runsPerSide, ...found };
}

/** Interleaved runs are split like other runs, because a split breaks their pairs. */
function ownRuns(runs: Side['runs']): OwnRuns[] {
  const read = runs.map(({ result }) => ({ sitting: result.run.sitting, figures: figuresOf(result) }));
  return metricRules
    .filter(({ isGated }) => isGated)
    .map((rule) => ({
      rule,
      runs: read.map(({ sitting, figures }) => {
        const reading = figures.get(rule.name);
        return reading !== undefined && 'figure' in reading ? { figure: reading.figure, sitting, pair: null } : null;
      }),
    }));
}

/** Minimum number of runs; with fewer, there are too few ways to split them into two sides. */
const minSelfTestRuns = 10;

/** A metric of runs of one release; the same runs in the same order for each metric, `null` for a run without it. */
export interface OwnRuns {
  rule: MetricRule;
  runs: readonly (Observed | null)[];
  history?: MetricHistory | undefined;
}

interface SelfTestOptions {
  runsPerSide: number;
  q: number;
  draws?: number;
  seed?: number;
}

/**
 * Compares runs of one release with one another, split at random into two sides, and counts the draws in which a metric
 * regressed or improved. All of these are false: their share is the false-alarm rate of comparisons on this machine, and
 * should be at most 5 %. `null` with fewer than 10 runs.
 */
export function selfTest(
  metrics: readonly OwnRuns[],
  { runsPerSide, q, draws = 200, seed = 1 }: SelfTestOptions,
): { draws: number; alarms: number } | null {
  const [{ runs } = { runs: [] }] = metrics;
  if (runs.length < minSelfTestRuns || 2 * runsPerSide > runs.length) return null;
  const random = randomOf(seed);
  let alarms = 0;
  for (let draw = 0; draw < draws; draw++) {
    const dealt = shuffled(runs.length, random);
    const [base, head] = [dealt.slice(0, runsPerSide), dealt.slice(runsPerSide, 2 * runsPerSide)];
    const family = metrics.map(({ rule, runs: own, history }) => {
      const pick = (numbers: readonly number[]) => numbers.flatMap((number) => own[number] ?? []);
      return { rule, base: pick(base), head: pick(head), history };
    });
    if (judgeFamily(family, { q }).some(({ verdict }) => verdict === 'regressed' || verdict === 'improved')) alarms++;
  }
  return { draws, alarms };
}

/** Returns the numbers below `length` in random order (Fisher-Yates). */
function shuffled(length: number, random: Random): number[] {
  const numbers = Array.from({ length }, (_, number) => number);
  for (let last = length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [numbers[last], numbers[other]] = [numbers[other] ?? 0, numbers[last] ?? 0];
  }
  return numbers;
}
