import type { Capacity } from '../document/capacity.ts';
import type { Step } from '../document/step.ts';

/**
 * The step with the greatest power: turns a second over their mean latency. Up to there more load buys more throughput
 * than it costs in waiting, and behind it the other way round (Kleinrock, 1979). `null` where no step says anything.
 */
export function findKnee(steps: readonly Step[]): Capacity['knee'] {
  const seen = steps.flatMap(({ verdict, purpose, load, figures: { turnsPerSecond, turnMeanMs } }) =>
    verdict === 'no_evidence' || purpose === 'recover' || !(turnsPerSecond ?? 0) || !(turnMeanMs ?? 0)
      ? []
      : [{ load, turnsPerSecond: turnsPerSecond ?? 0, turnMeanMs: turnMeanMs ?? 0 }],
  );
  const [first, ...others] = seen;
  if (first === undefined) return null;
  return others.reduce((best, each) => (powerOf(each) > powerOf(best) ? each : best), first);
}

const powerOf = ({ turnsPerSecond, turnMeanMs }: NonNullable<Capacity['knee']>): number => turnsPerSecond / turnMeanMs;
