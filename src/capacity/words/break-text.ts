import type { Capacity } from '../document/capacity.ts';
import type { Step } from '../document/step.ts';
import { figureText, limitText } from './figure-text.ts';

type Broken = Pick<Capacity, 'broken' | 'steps' | 'objectives'>;
type Asked = Capacity['objectives'][number];

/**
 * What broke at the lowest load that does not hold: `turn.p95 was 2.31 s, limit 2 s`, the figure of the last step that
 * shows it. Without a figure of one objective the reason that the search gives; '' where nothing broke.
 */
export function breakText({ broken, steps, objectives }: Broken): string {
  if (broken === null) return '';
  const asked = objectives.find(({ metric }) => metric === broken.objective);
  if (asked === undefined) return broken.reason;
  const { metric, unit, limit } = asked;
  const of = steps.filter(({ number }) => broken.steps.includes(number));
  const figure = of.flatMap((step) => actualIn(step, asked) ?? []).at(-1);
  if (figure === undefined) return broken.reason;
  return `${metric} was ${figureText(figure, unit)}, limit ${limitText(limit, unit)}`;
}

/** Percentiles are judged as shares: their figures are those of the step, where they are over the limit in all of it. */
function actualIn({ objectives, figures }: Step, { metric, limit }: Asked): number | null {
  const seen = objectives.find((each) => each.metric === metric && each.verdict === 'broken');
  if (seen === undefined) return null;
  const figure = { 'turn.p50': figures.turnP50Ms, 'turn.p95': figures.turnP95Ms }[metric] ?? null;
  return seen.actual ?? (figure !== null && figure >= limit ? figure : null);
}
