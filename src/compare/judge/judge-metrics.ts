import { finishedClassNames } from '../../protocol/outcome.ts';
import type { MetricComparison } from '../document/comparison.ts';
import { readByRule } from '../figures/figures-of.ts';
import { gateLatency } from './gate-latency.ts';
import type { HistoryGroup } from '../document/history.ts';
import { judgeFamily, type MeasuredMetric } from '../statistics/judge-family.ts';
import type { MetricRule } from '../metrics/metric-rule.ts';
import { metricRules } from '../metrics/metric-rules.ts';
import { observe, type OpenedRun, type OpenedSides } from './opened-side.ts';

interface Judging {
  /** Least changes that matter, by metric; what is not in it keeps its default. */
  margins: ReadonlyMap<string, number>;
  q: number;
  history: HistoryGroup | undefined;
  /** By how much sittings are taken to differ until there is a history, as a share. */
  assumedNoise: number;
}

/** Judges every metric: the gate family as one family, the others as another. In the order of the rules. */
export function judgeMetrics(sides: OpenedSides, judging: Judging): MetricComparison[] {
  const rules = rulesFor(sides).map((rule) => ({ ...rule, margin: judging.margins.get(rule.name) ?? rule.margin }));
  const measured = rules.map((rule) => measure(sides, rule, judging.history)).filter(hasNews);
  const judged = [true, false].flatMap((isGated) =>
    judgeFamily(
      measured.filter(({ rule }) => rule.isGated === isGated),
      judging,
    ),
  );
  const inOrder = measured.flatMap(({ rule }) => judged.filter(({ name }) => name === rule.name));
  return gateLatency(
    sides,
    inOrder.map((metric) => withSaturation(sides, metric)),
  );
}

/** Under open load the rate is given. Throughput then only shows whether the service keeps up. */
const throughput = 'rates.turnsPerSecond';

/** Rules of classes that no attempt had are left out. */
function rulesFor(sides: OpenedSides): MetricRule[] {
  const unseen = new Set(
    finishedClassNames.filter((name) => !isSeen(sides, name)).map((name) => `outcomes.${name}.share`),
  );
  const cannotDecide = (rule: MetricRule): boolean =>
    (rule.name === throughput && isOpenLoad(sides)) || (rule.isOfStreams === true && !areStreamed(sides));
  return metricRules
    .filter(({ name }) => !unseen.has(name))
    .map((rule) => (cannotDecide(rule) ? { ...rule, isGated: false } : rule));
}

const areStreamed = ({ base, head }: OpenedSides): boolean =>
  [...base, ...head].every(({ result }) => result.stream.replies > 0);

const isSeen = ({ base, head }: OpenedSides, name: (typeof finishedClassNames)[number]): boolean =>
  [...base, ...head].some(({ result }) => result.outcomes.attempts[name] > 0);

const isOpenLoad = ({ base, head }: OpenedSides): boolean =>
  [...base, ...head].some(({ result }) => result.scenario.plan.load.model === 'open');

function measure(sides: OpenedSides, rule: MetricRule, history: HistoryGroup | undefined): MeasuredMetric {
  const read = ({ open }: OpenedRun) => readByRule(open, rule);
  const [base, head] = [observe(sides.base, read), observe(sides.head, read)];
  return {
    rule,
    base: base.observed,
    head: head.observed,
    missing: { base: base.missing, head: head.missing },
    history: history?.metrics[rule.name],
  };
}

/** An informational metric that no run has is left out. */
const hasNews = ({ rule, base, head, missing }: MeasuredMetric): boolean =>
  rule.isGated ||
  rule.name === throughput ||
  base.length + head.length > 0 ||
  [...(missing?.base ?? []), ...(missing?.head ?? [])].some((each) => each.missing !== 'no_data');

const withSaturation = (sides: OpenedSides, metric: MetricComparison): MetricComparison =>
  metric.name === throughput && isOpenLoad(sides)
    ? {
        ...metric,
        notGatedBecause: 'the load was open: its rate is fixed, so it shows only whether the service keeps up',
      }
    : metric;
