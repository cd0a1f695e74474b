import type { MetricComparison } from './comparison.ts';
import type { OpenedSides } from './opened-side.ts';

/** Failed and unanswered turns are in no latency: by so much more or fewer of them, the latencies are of unlike turns. */
const mostApart = 0.01;
/** A difference of these that is as likely by chance says nothing of the latencies. */
const mostByChance = 0.05;

/**
 * Takes latencies out of the gate where they cannot decide. Where the shares of failed or unanswered turns are really
 * more than a point apart they are not even comparable: failing fast would look like an improvement. Under closed load latency and
 * throughput are two sides of one thing: where throughput changed, that decides, and latency was measured under
 * another load.
 */
export function gateLatency(sides: OpenedSides, metrics: readonly MetricComparison[]): MetricComparison[] {
  const find = (name: string): MetricComparison | undefined => metrics.find((metric) => metric.name === name);
  const unlike = endings.find(({ name }) => endUnlike(find(name)));
  const throughput = find('rates.turnsPerSecond');
  const hasChanged = throughput?.verdict === 'regressed' || throughput?.verdict === 'improved';
  return metrics.map((metric) => {
    if (metric.unit !== 'ms' || metric.verdict === 'no_data') return metric;
    if (unlike !== undefined && metric.name !== 'sessionCreate.p50' && metric.name !== 'sessionCreate.p99')
      return withoutVerdict(metric, `not comparable: the shares of ${unlike.turns} turns are more than 1 point apart`);
    return hasChanged && isClosedLoad(sides) ? ungated(metric, throughputDecides) : metric;
  });
}

const endings = [
  { name: 'turns.failedShare', turns: 'failed' },
  { name: 'turns.unansweredShare', turns: 'unanswered' },
];

/** Whether more turns end so on one side, by more than a point and by more than chance, as far as that is known. */
const endUnlike = (share: MetricComparison | undefined): boolean =>
  Math.abs(share?.change ?? 0) > mostApart && (share?.p ?? 0) <= mostByChance;

const throughputDecides =
  'throughput changed, which decides under closed load: latency was measured under another load';

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
