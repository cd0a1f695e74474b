import type { MetricComparison } from '../../src/compare/document/comparison.ts';
import { judgeFamily, type MeasuredMetric } from '../../src/compare/statistics/judge-family.ts';
import type { MetricRule } from '../../src/compare/metrics/metric-rules.ts';
import { randomOf } from '../../src/base/random.ts';
import { drawComparison, measuredOf, type DrawnComparison } from '../../test/support/drawn-comparison.ts';
import type { Measured, Row } from './central-table.ts';
import { designNights, type DesignNight } from './design-figures.ts';
import { falseAlarms, found, plain } from './share.ts';

const q = 0.05;

/** Applies the whole rule to eight metrics of two independent services, with a fresh set of runs after an alarm. */
export function nightTable(rules: readonly MetricRule[], measured: Measured): Row[] {
  return designNights.map((night) => {
    const { byP, alarm, confirmed, all, one } = countNights(rules, { ...measured, night });
    const { comparisons } = measured;
    const share = (count: number): number => (100 * count) / comparisons;
    const of = (design: number) => ({ design, comparisons });
    return {
      name: `${String(night.runsPerSide)}, noise ${String(night.noise * 100)} %`,
      shares: [
        plain(share(byP), night.same[0]),
        falseAlarms(share(alarm), of(night.same[1])),
        plain(share(confirmed), night.same[2]),
        found(share(all.alarm), of(night.all[0])),
        found(share(all.confirmed), of(night.all[1])),
        found(share(one.alarm), of(night.one[0])),
        found(share(one.confirmed), of(night.one[1])),
      ],
    };
  });
}

type Night = Measured & { night: DesignNight };

function countNights(rules: readonly MetricRule[], { pool, comparisons, night }: Night) {
  const random = randomOf(23, night.runsPerSide, night.noise * 1000);
  const draw = (): DrawnComparison => drawComparison(pool, { ...night, random });
  const counts = { byP: 0, alarm: 0, confirmed: 0, all: { alarm: 0, confirmed: 0 }, one: { alarm: 0, confirmed: 0 } };
  for (let i = 0; i < comparisons; i++) {
    const [first, fresh] = [
      [draw(), draw()],
      [draw(), draw()],
    ].map(
      (services) => (slower: Slower) =>
        services.flatMap((drawn, service) => measuredOf(drawn, rules, (rule) => slower(rule, service))),
    );
    if (first === undefined || fresh === undefined) return counts;
    const same = judgeFamily(
      first(() => 0),
      { q },
    );
    if (same.some(({ pAdjusted }) => (pAdjusted ?? 1) <= q)) counts.byP++;
    if (same.some(isAlarm)) counts.alarm++;
    if (
      confirm(
        same,
        fresh(() => 0),
      ).length > 0
    )
      counts.confirmed++;
    const ten: Slower = () => Math.log(1.1);
    const all = judgeFamily(first(ten), { q });
    if (all.some(isAlarm)) counts.all.alarm++;
    if (confirm(all, fresh(ten)).length > 0) counts.all.confirmed++;
    const twenty: Slower = ({ name }, service) => (name === 'turn.ok.p99' && service === 0 ? Math.log(1.2) : 0);
    const one = judgeFamily(first(twenty), { q });
    const at = rules.findIndex(({ name }) => name === 'turn.ok.p99');
    if (one.filter((_, index) => index === at).some(isAlarm)) counts.one.alarm++;
    if (confirm(one, fresh(twenty)).includes(at)) counts.one.confirmed++;
  }
  return counts;
}

type Slower = (rule: MetricRule, service: number) => number;

const isAlarm = ({ verdict }: MetricComparison): boolean => verdict === 'regressed' || verdict === 'improved';

/** Returns the indexes of alarms that fresh runs confirm in the same direction. */
const confirm = (judged: readonly MetricComparison[], fresh: readonly MeasuredMetric[]): number[] =>
  judged.flatMap((metric, index) => {
    const again = fresh[index];
    if (!isAlarm(metric) || again === undefined) return [];
    return judgeFamily([again], { q })[0]?.verdict === metric.verdict ? [index] : [];
  });
