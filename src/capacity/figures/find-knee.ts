import type { Capacity } from '../document/capacity.ts';
import type { Step } from '../document/step.ts';

/** Where more of the turns fail than this, they fail fast: their latency is that of failures. */
const mostFailed = 0.05;
/** Fewer loads than this have no bend between them. */
const leastLoads = 3;

/**
 * The step with the greatest power: ok turns per second over their mean latency, or over the latency `metric`. Up to there more load buys more throughput
 * than it costs in waiting, and beyond it the other way round (Kleinrock, 1979). `null` if fewer than three loads have
 * figures, or if the greatest power is at the highest of them: the bend, if there is one, lies beyond it.
 */
export function findKnee(steps: readonly Step[], metric?: string): Capacity['knee'] {
  const seen = steps.flatMap(
    ({ verdict, purpose, load, objectives, figures: { turnsPerSecond, turnMeanMs, failedShare } }) =>
      verdict === 'no_evidence' ||
      purpose === 'recover' ||
      (failedShare ?? 1) > mostFailed ||
      !turnsPerSecond ||
      !turnMeanMs
        ? []
        : latencyOf(objectives, metric).map((latency) => ({ load, turnsPerSecond, turnMeanMs, ...latency })),
  );
  const [first, ...others] = seen;
  if (first === undefined || new Set(seen.map(({ load }) => load)).size < leastLoads) return null;
  const best = others.reduce((so, each) => (powerOf(each) > powerOf(so) ? each : so), first);
  return seen.some(({ load }) => load > best.load) ? best : null;
}

/** The latency that is searched for, unless it is that of turns; no element if the step does not contain it. */
function latencyOf(objectives: Step['objectives'], metric: string | undefined) {
  if (metric === undefined) return [{}];
  const ms = objectives.find((seen) => seen.metric === metric)?.actual;
  return ms === undefined || ms === null || ms <= 0 ? [] : [{ latency: { metric, ms } }];
}

const powerOf = ({ turnsPerSecond, turnMeanMs, latency }: NonNullable<Capacity['knee']>): number =>
  turnsPerSecond / (latency?.ms ?? turnMeanMs);
