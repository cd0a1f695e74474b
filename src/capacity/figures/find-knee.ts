import type { Capacity } from '../document/capacity.ts';
import type { Step } from '../document/step.ts';

/** Where more of the turns fail than this, they fail fast: their latency is that of failures. */
const mostFailed = 0.05;
/** Fewer loads than this have no bend between them. */
const leastLoads = 3;

/**
 * The step with the greatest power: ok turns a second over their mean latency. Up to there more load buys more throughput
 * than it costs in waiting, and behind it the other way round (Kleinrock, 1979). `null` where fewer than three loads say
 * anything.
 */
export function findKnee(steps: readonly Step[]): Capacity['knee'] {
  const seen = steps.flatMap(({ verdict, purpose, load, figures: { turnsPerSecond, turnMeanMs, failedShare } }) =>
    verdict === 'no_evidence' ||
    purpose === 'recover' ||
    (failedShare ?? 1) > mostFailed ||
    !turnsPerSecond ||
    !turnMeanMs
      ? []
      : [{ load, turnsPerSecond, turnMeanMs }],
  );
  const [first, ...others] = seen;
  if (first === undefined || new Set(seen.map(({ load }) => load)).size < leastLoads) return null;
  return others.reduce((best, each) => (powerOf(each) > powerOf(best) ? each : best), first);
}

const powerOf = ({ turnsPerSecond, turnMeanMs }: NonNullable<Capacity['knee']>): number => turnsPerSecond / turnMeanMs;
