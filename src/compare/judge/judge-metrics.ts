import { finishedClassNames } from '../../protocol/outcome.ts';
import type { MetricComparison } from '../document/comparison.ts';
import { readByRule } from '../figures/read-figure.ts';
import type { HistoryGroup } from '../document/history.ts';
import { judgeFamily, type MeasuredMetric } from '../statistics/judge-family.ts';
import { type MetricRule, metricRules } from '../metrics/metric-rules.ts';
import { observe, type OpenedRun, type OpenedSides } from '../figures/open-run.ts';
import { isGapName, isOfGaps } from '../../result/validity/rule.ts';

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

/**
 * Failed and unanswered turns and creations are in no latency: if their shares differ this much, latencies are not
 * comparable.
 */
const maxApart = 0.01;
/** A difference of these that is as likely by chance says nothing of the latencies. */
const maxByChance = 0.05;

/** The shares that have to be alike for latencies to be comparable. */
const ofTurns = [
  { share: 'turns.failedShare', what: 'failed turns' },
  { share: 'turns.unansweredShare', what: 'unanswered turns' },
];
const ofCreations = [{ share: 'sessions.createFailedShare', what: 'sessions not created' }];

/**
 * Removes latencies from the gate where they cannot decide. Where the shares of failed or unanswered turns (of failed
 * creations for the time of a creation) are really more than a point apart they are not even comparable: failing fast
 * would look like an improvement. Under closed load latency and throughput are two sides of one thing: where throughput
 * changed, that decides, and latency was measured under another load.
 */
function gateLatency(sides: OpenedSides, metrics: readonly MetricComparison[]): MetricComparison[] {
  const find = (name: string): MetricComparison | undefined => metrics.find((metric) => metric.name === name);
  const [turnsApart, creationsApart] = [ofTurns, ofCreations].map((shares) =>
    shares.find(({ share }) => areApart(find(share))),
  );
  const throughput = find('rates.turnsPerSecond');
  const hasChanged = throughput?.verdict === 'regressed' || throughput?.verdict === 'improved';
  const isLate = [...sides.base, ...sides.head].some(({ result }) => result.validity.reasons.some(isOfGaps));
  return metrics.map((metric) => {
    if (isLate && isGapName(metric.name)) return ungated(metric, lateInstants);
    if (metric.unit !== 'ms' || metric.verdict === 'no_data') return metric;
    const apart = metric.name.startsWith('sessionCreate.') ? creationsApart : turnsApart;
    if (apart !== undefined)
      return withoutVerdict(metric, `not comparable: the shares of ${apart.what} are more than 1 point apart`);
    return hasChanged && isClosedLoad(sides) ? ungated(metric, throughputDecides) : metric;
  });
}

/** Whether a share differs by more than a point and by more than chance, as far as that is known. */
const areApart = (share: MetricComparison | undefined): boolean =>
  Math.abs(share?.change ?? 0) > maxApart && (share?.p ?? 0) <= maxByChance;

const throughputDecides =
  'throughput changed, which decides under closed load: latency was measured under a different load';

const lateInstants = 'the generator was late by more of a gap than is acceptable (instants_late): gaps hold its delay';

const withoutVerdict = (metric: MetricComparison, because: string): MetricComparison => ({
  ...ungated(metric, because),
  verdict: 'inconclusive',
  reason: because,
  runsNeeded: null,
});

const ungated = (metric: MetricComparison, because: string): MetricComparison =>
  metric.isGated ? { ...metric, isGated: false, notGatedBecause: because } : metric;

const isClosedLoad = ({ base, head }: OpenedSides): boolean =>
  [...base, ...head].every(({ result }) => result.scenario.plan.load.model === 'closed');
