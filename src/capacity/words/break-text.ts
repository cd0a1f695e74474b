import type { Capacity } from '../document/capacity.ts';
import { figureText, limitText } from './figure-text.ts';

type Broken = Pick<Capacity, 'broken' | 'steps' | 'objectives'>;

/**
 * What broke at the lowest load that does not hold: `turn.p95 was 2.31 s, limit 2 s`, the figure of the last step that
 * shows it. Without a figure of one objective the reason that the search gives; '' where nothing broke.
 */
export function breakText({ broken, steps, objectives }: Broken): string {
  if (broken === null) return '';
  const asked = objectives.find(({ metric }) => metric === broken.objective);
  const seen = steps
    .filter(({ number }) => broken.steps.includes(number))
    .flatMap((step) => step.objectives.filter((each) => each.metric === broken.objective && each.actual !== null))
    .findLast(({ verdict }) => verdict === 'broken');
  if (asked === undefined || seen === undefined) return broken.reason;
  const { metric, unit, limit } = asked;
  return `${metric} was ${figureText(seen.actual, unit)}, limit ${limitText(limit, unit)}`;
}
