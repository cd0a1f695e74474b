import { judgeFamily } from '../../src/compare/statistics/judge-family.ts';
import type { MetricRule } from '../../src/compare/metrics/metric-rules.ts';
import { randomOf } from '../../src/base/random.ts';
import { drawComparison, measuredOf, type DrawOptions } from '../../test/support/drawn-comparison.ts';
import type { Figures } from '../../test/support/model-figures.ts';
import { designDrift, designFigures } from './design-figures.ts';
import { falseAlarms, found, plain, type Share } from './share.ts';

export interface Measured {
  pool: readonly Figures[];
  comparisons: number;
}

export interface Row {
  name: string;
  shares: Share[];
}

const changes = [0, 0.05, 0.1, 0.2] as const;

/** Measures how often one metric is found different at p <= 5 %, for equal releases and for slower heads. */
export function centralTable(rule: MetricRule, { pool, comparisons }: Measured): Row[] {
  return designFigures[rule.name === 'turn.ok.p50' ? 'turn.ok.p50' : 'turn.ok.p99'].map((cell) => {
    const { runsPerSide, noise } = cell;
    const measured = shareDifferent(rule, { pool, comparisons, draw: { runsPerSide, noise }, changes });
    const shares = measured.map((share, index) => {
      const design = cell.found[index] ?? NaN;
      return index === 0 ? falseAlarms(share, { design, comparisons }) : found(share, { design, comparisons });
    });
    return { name: `${String(runsPerSide)}, noise ${String(noise * 100)} %`, shares };
  });
}

/** Measures the same with drift between batches of runs, by design of the comparison. */
export function driftTable(rule: MetricRule, { pool, comparisons }: Measured): Row[] {
  return (['run', 'sitting', 'pair'] as const).flatMap((design) =>
    designDrift[design].map(([runsPerSide, same, ten]) => {
      const draw = { runsPerSide, noise: 0.02, drift: 0.02, design };
      const [alarms = NaN, power = NaN] = shareDifferent(rule, { pool, comparisons, draw, changes: [0, 0.1] });
      const shares =
        design === 'run'
          ? [plain(alarms, same), plain(power, ten)]
          : [falseAlarms(alarms, { design: same, comparisons }), found(power, { design: ten, comparisons })];
      return { name: `${String(runsPerSide)}, the unit is the ${design === 'sitting' ? 'batch' : design}`, shares };
    }),
  );
}

interface Asked extends Measured {
  draw: Omit<DrawOptions, 'random'>;
  changes: readonly number[];
}

/** Returns the percentage found different for each change, from the same draws. */
function shareDifferent(rule: MetricRule, { pool, comparisons, draw, changes: by }: Asked): number[] {
  const random = randomOf(11, draw.runsPerSide, draw.noise * 1000);
  const different = by.map(() => 0);
  for (let i = 0; i < comparisons; i++) {
    const drawn = drawComparison(pool, { ...draw, random });
    by.forEach((change, index) => {
      const [judged] = judgeFamily(
        measuredOf(drawn, [rule], () => Math.log1p(change)),
        { q: 0.05 },
      );
      if ((judged?.p ?? 1) <= 0.05) different[index] = (different[index] ?? 0) + 1;
    });
  }
  return different.map((count) => (100 * count) / comparisons);
}
