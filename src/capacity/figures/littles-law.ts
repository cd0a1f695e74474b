import type { Capacity } from '../document/capacity.ts';
import type { StepFigures } from '../document/step.ts';

const agreement = 0.1;

/**
 * Little's law, L = λ W, on sessions, whose length has the think times in it: as many are live as come a second, times
 * how long they stay. A step in which the two differ was no steady state, or was counted wrongly. `null`: a figure is missing.
 */
export function checkLittlesLaw({
  sessionsLive,
  sessionsPerSecond,
  sessionMeanMs,
}: StepFigures): Capacity['littlesLaw'] {
  if (sessionsLive === null || sessionsPerSecond === null || sessionMeanMs === null || sessionsLive === 0) return null;
  const product = (sessionsPerSecond * sessionMeanMs) / 1000;
  return { sessionsLive, product, agrees: Math.abs(product - sessionsLive) <= agreement * sessionsLive };
}
