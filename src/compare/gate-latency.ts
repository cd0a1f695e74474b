import type { MetricComparison } from './comparison.ts';
import type { OpenedSides } from './opened-side.ts';

/** Failed turns, and creations, are in no latency: by so much more or fewer of them, the latencies are of unlike ones. */
const mostFailedApart = 0.01;
/** A difference of failures that is as likely by chance says nothing of the latencies. */
const mostByChance = 0.05;

/**
 * Takes latencies out of the gate where they cannot decide. Where the shares of failed turns (of failed creations for the
 * time of a creation) are really more than a point apart they are not even comparable: failing fast would look like an improvement. Under closed load latency and
 * throughput are two sides of one thing: where throughput changed, that decides, and latency was measured under
 * another load.
 */
export function gateLatency(sides: OpenedSides, metrics: readonly MetricComparison[]): MetricComparison[] {
  const find = (name: string): MetricComparison | undefined => metrics.find((metric) => metric.name === name);
  const turnsAreUnlike = failUnlike(find('turns.failedShare'));
  const creationsAreUnlike = failUnlike(find('sessions.createFailedShare'));
  const throughput = find('rates.turnsPerSecond');
  const hasChanged = throughput?.verdict === 'regressed' || throughput?.verdict === 'improved';
  return metrics.map((metric) => {
    if (metric.unit !== 'ms' || metric.verdict === 'no_data') return metric;
    const isOfCreation = metric.name.startsWith('sessionCreate.');
    if (isOfCreation ? creationsAreUnlike : turnsAreUnlike)
      return withoutVerdict(metric, isOfCreation ? 'sessions not created' : 'failed turns');
    return hasChanged && isClosedLoad(sides) ? ungated(metric, throughputDecides) : metric;
  });
}

/** Whether more of them fail on one side, by more than a point and by more than chance, as far as that is known. */
const failUnlike = (failedShare: MetricComparison | undefined): boolean =>
  Math.abs(failedShare?.change ?? 0) > mostFailedApart && (failedShare?.p ?? 0) <= mostByChance;

const throughputDecides =
  'throughput changed, which decides under closed load: latency was measured under another load';

function withoutVerdict(metric: MetricComparison, failures: string): MetricComparison {
  const reason = `not comparable: the shares of ${failures} are more than 1 point apart`;
  return { ...ungated(metric, reason), verdict: 'inconclusive', reason, runsNeeded: null };
}

const ungated = (metric: MetricComparison, because: string): MetricComparison =>
  metric.isGated ? { ...metric, isGated: false, notGatedBecause: because } : metric;

const isClosedLoad = ({ base, head }: OpenedSides): boolean =>
  [...base, ...head].every(({ result }) => result.scenario.plan.load.model === 'closed');
