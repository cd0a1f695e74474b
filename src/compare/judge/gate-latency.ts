import { isGapName, isOfGaps } from '../../result/validity/gap-doubts.ts';
import type { MetricComparison } from '../document/comparison.ts';
import type { OpenedSides } from './opened-side.ts';

/**
 * Failed and unanswered turns and creations are in no latency: if their shares differ this much, latencies are not
 * comparable.
 */
const mostApart = 0.01;
/** A difference of these that is as likely by chance says nothing of the latencies. */
const mostByChance = 0.05;

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
export function gateLatency(sides: OpenedSides, metrics: readonly MetricComparison[]): MetricComparison[] {
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
  Math.abs(share?.change ?? 0) > mostApart && (share?.p ?? 0) <= mostByChance;

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
