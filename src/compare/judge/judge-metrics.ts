import { finishedClassNames } from '../../protocol/outcome.ts';
import type { MetricComparison } from '../document/comparison.ts';
import { readByRule } from '../figures/read-figure.ts';
import { withError } from '../figures/trusted-figure.ts';
import type { HistoryGroup } from '../document/history.ts';
import { judgeFamily, type MeasuredMetric } from '../statistics/judge-family.ts';
import { isOfCreations, type MetricRule, metricRules } from '../metrics/metric-rules.ts';
import { observe, readNamed, type OpenedRun, type OpenedSides } from '../figures/open-run.ts';
import { countOf } from '../../base/format.ts';
import { worstOf, type RunReading } from '../document/side.ts';
import type { Result } from '../../result/result.ts';

interface Judging {
  margins: ReadonlyMap<string, number>;
  q: number;
  history: HistoryGroup | undefined;
  assumedNoise: number;
  /** Degrees of freedom that the assumed noise is worth; infinite if it counts as known. */
  assumedDegrees: number;
}

interface JudgedMetrics {
  metrics: MetricComparison[];
  /** A sentence about each deciding metric of which doubtful figures were omitted. */
  omitted: string[];
  /** Set if no deciding latency of turns could be judged. */
  lacking: Lacking | null;
}

/** Reason for which a comparison has no latency of turns. */
export interface Lacking {
  because: 'doubtful' | 'no_data';
  /** True if a run of the side has such a latency. */
  base: boolean;
  head: boolean;
  /** A clause about each latency of turns of which doubtful figures were omitted. */
  doubtful: string[];
}

/** Judges every metric: the gate family as one family, the others as another. Results are in the order of the rules. */
export function judgeMetrics(sides: OpenedSides, judging: Judging): JudgedMetrics {
  const rules = rulesFor(sides).map((rule) => ({ ...rule, margin: judging.margins.get(rule.name) ?? rule.margin }));
  const measured = rules.map((rule) => measure(sides, rule, judging.history)).filter(hasNews);
  const judged = [true, false].flatMap((isGated) =>
    judgeFamily(
      measured.filter(({ rule }) => rule.isGated === isGated),
      judging,
    ),
  );
  const inOrder = measured.flatMap(({ rule }) => judged.filter(({ name }) => name === rule.name));
  const metrics = gateLatency(
    sides,
    inOrder.map((metric) => withSaturation(sides, metric)),
  );
  return { metrics, ...omissionsOf(measured) };
}

/** Name of the throughput metric: under open load the rate is fixed, so it only shows whether the service keeps up. */
const throughput = 'rates.turnsPerSecond';

/** Returns the rules without classes that no attempt had, and without creations if the protocol creates no sessions. */
function rulesFor(sides: OpenedSides): MetricRule[] {
  const results = resultsOf(sides);
  const unseen = finishedClassNames
    .filter((name) => results.every(({ outcomes }) => outcomes.attempts[name] === 0))
    .map((name) => `outcomes.${name}.share`);
  const areStreamed = results.every(({ stream }) => stream.replies > 0);
  const cannotDecide = ({ name, isOfStreams }: MetricRule): boolean =>
    (name === throughput && isOpenLoad(sides)) || (isOfStreams === true && !areStreamed);
  const createNone = results.every(({ scenario }) => !scenario.plan.target.createsSessions);
  return metricRules
    .filter((rule) => !unseen.includes(rule.name) && !(createNone && isOfCreations(rule)))
    .map((rule) => (cannotDecide(rule) ? { ...rule, isGated: false } : rule));
}

const resultsOf = ({ base, head }: OpenedSides): Result[] => [...base, ...head].map(({ result }) => result);

const isOpenLoad = (sides: OpenedSides): boolean =>
  resultsOf(sides).some(({ scenario }) => scenario.plan.load.model === 'open');

function measure(sides: OpenedSides, rule: MetricRule, history: HistoryGroup | undefined): MeasuredMetric {
  const readings = new Map(
    [...sides.base, ...sides.head].map((run) => [
      run,
      readNamed(run, ({ open, result }) => withError(readByRule(open, rule), rule, result)),
    ]),
  );
  const doubtful = [...readings].filter(([, reading]) => 'missing' in reading && reading.missing === 'doubtful');
  const pairs = new Set(doubtful.flatMap(([run]) => pairOf(run) ?? []));
  const read = (run: OpenedRun): RunReading => {
    const reading = readings.get(run) ?? { missing: 'no_data', detail: 'no values' };
    const pair = pairOf(run);
    return 'figure' in reading && pair !== undefined && pairs.has(pair)
      ? { missing: 'doubtful', detail: ofPartner }
      : reading;
  };
  const [base, head] = [observe(sides.base, read), observe(sides.head, read)];
  return {
    rule,
    base: base.observed,
    head: head.observed,
    missing: { base: base.missing, head: head.missing },
    history: history?.metrics[rule.name],
  };
}

const ofPartner = 'the figure of the other run of its pair is doubtful';

const pairOf = ({ result: { run } }: OpenedRun): string | undefined =>
  run.pair === null ? undefined : JSON.stringify([run.sitting, run.pair]);

/** Describes the doubtful figures of deciding metrics that were omitted. */
function omissionsOf(measured: readonly MeasuredMetric[]): Omit<JudgedMetrics, 'metrics'> {
  const latencies = measured.filter(({ rule }) => rule.isGated && rule.unit === 'ms');
  const omissions = latencies.flatMap((metric) => {
    const text = omissionOf(metric);
    return text === undefined ? [] : [{ text, isOfTurns: isOfTurns(metric) }];
  });
  const ofTurns = latencies.filter(isOfTurns);
  const isAnyJudged = ofTurns.some(({ base, head }) => base.length > 0 && head.length > 0);
  const doubtful = omissions.filter((each) => each.isOfTurns).map(({ text }) => text);
  const because = doubtful.length > 0 ? 'doubtful' : 'no_data';
  const [base, head] = (['base', 'head'] as const).map((side) => ofTurns.some((each) => each[side].length > 0));
  return {
    omitted: omissions.map(({ text }) => `${text}.`),
    lacking: isAnyJudged ? null : { because, base: base === true, head: head === true, doubtful },
  };
}

const isOfTurns = ({ rule }: MeasuredMetric): boolean => rule.name.startsWith('turn.');

/** Describes the doubtful figures of a metric, by the largest error; `undefined`: there is none. */
function omissionOf({ rule, base, head, missing }: MeasuredMetric): string | undefined {
  const omitted = [...(missing?.base ?? []), ...(missing?.head ?? [])].filter((each) => each.missing === 'doubtful');
  const worst = worstOf(omitted);
  if (worst === undefined) return undefined;
  const runs = `${String(omitted.length)} of ${countOf(omitted.length + base.length + head.length, 'run')}`;
  return `${rule.name} was omitted in ${runs}: ${worst.detail}`;
}

/** Reports whether to list a metric: informational ones only if a run has them. */
const hasNews = ({ rule, base, head, missing }: MeasuredMetric): boolean =>
  rule.isGated ||
  rule.name === throughput ||
  base.length + head.length > 0 ||
  [...(missing?.base ?? []), ...(missing?.head ?? [])].some((each) => each.missing !== 'no_data');

const withSaturation = (sides: OpenedSides, metric: MetricComparison): MetricComparison =>
  metric.name === throughput && isOpenLoad(sides)
    ? {
        ...metric,
        notGatedBecause: 'under open load the rate is fixed, so it only shows whether the service keeps up',
      }
    : metric;

/** Failed and unanswered turns have no latency: with shares this far apart, latencies are not comparable. */
const maxApart = 0.01;
/** Maximum p of the difference between these shares: a difference that chance explains does not affect latencies. */
const maxByChance = 0.05;

const ofTurns = [
  { share: 'turns.failedShare', what: 'failed turns' },
  { share: 'turns.unansweredShare', what: 'unanswered turns' },
];
/** Such replies are faster than whole ones: with shares this far apart, no latency has improved. */
const ofReplies = [
  { share: 'turns.emptyShare', what: 'empty replies' },
  { share: 'finish.lengthShare', what: 'replies cut at a limit of tokens' },
  { share: 'finish.filteredShare', what: 'filtered or refused replies' },
];
const ofCreations = [{ share: 'sessions.createFailedShare', what: 'sessions not created' }];

/**
 * Removes latencies from the gate if they cannot decide. If the shares of failed or unanswered turns (failed creations, for
 * creation times) differ by more than a point, latencies are not comparable: failing fast would look like an improvement.
 * Under closed load latency and throughput are two views of the same change: if throughput changed, it decides, and
 * latency was measured under another load.
 */
function gateLatency(sides: OpenedSides, metrics: readonly MetricComparison[]): MetricComparison[] {
  const find = (name: string): MetricComparison | undefined => metrics.find((metric) => metric.name === name);
  const [turnsApart, creationsApart] = [ofTurns, ofCreations].map((shares) =>
    shares.find(({ share }) => areApart(find(share))),
  );
  const repliesApart = ofReplies.find(({ share }) => areApart(find(share)));
  const throughput = find('rates.turnsPerSecond');
  const hasChanged = throughput?.verdict === 'regressed' || throughput?.verdict === 'improved';
  return metrics.map((metric) => {
    if (metric.unit !== 'ms' || metric.verdict === 'no_data') return metric;
    const apart = metric.name.startsWith('sessionCreate.') ? creationsApart : turnsApart;
    if (apart !== undefined)
      return withoutVerdict(
        metric,
        `not comparable: the shares of ${apart.what} differ by more than 1 percentage point`,
      );
    if (metric.verdict === 'improved' && repliesApart !== undefined)
      return withoutVerdict(
        metric,
        `not an improvement: the shares of ${repliesApart.what} differ by more than 1 percentage point`,
      );
    return hasChanged && !isOpenLoad(sides) ? ungated(metric, throughputDecides) : metric;
  });
}

/** Reports whether a share differs by more than a point and by more than chance, if p is known. */
const areApart = (share: MetricComparison | undefined): boolean =>
  Math.abs(share?.change ?? 0) > maxApart && (share?.p ?? 0) <= maxByChance;

const throughputDecides =
  'throughput changed, which decides under closed load: latency was measured under a different load';

const withoutVerdict = (metric: MetricComparison, because: string): MetricComparison => ({
  ...ungated(metric, because),
  verdict: 'inconclusive',
  reason: because,
  runsNeeded: null,
});

const ungated = (metric: MetricComparison, because: string): MetricComparison =>
  metric.isGated ? { ...metric, isGated: false, notGatedBecause: because } : metric;
