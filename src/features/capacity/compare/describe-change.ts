import { formatCount, formatNumber } from '../../../base/format.ts';
import type { LoadUnit } from '../document/step.ts';
import { loadText, loadUnitTexts } from '../words/summarize.ts';
import type { CapacityComparison, CapacityRange } from './capacity-comparison.ts';

type Change = NonNullable<CapacityComparison['change']>;

/** Formats a range: `180 to 200 concurrent sessions`, `180 concurrent sessions or more`, `less than 200 ...`, `not known`. */
export function rangeText({ holds, broken }: CapacityRange, by: LoadUnit): string {
  if (holds !== null && broken !== null) return `${formatNumber(holds)} to ${loadText(broken, by)}`;
  if (holds !== null) return `${formatNumber(holds)} ${loadUnitTexts[by]} or more`;
  return broken === null ? 'not known' : `less than ${loadText(broken, by)}`;
}

/** Formats a decrease: `between 8 % and 21 % less`, `at least 8 % less`, `up to 21 % less`. */
export function lessText({ low, high }: Change): string {
  return boundsText(negated(high), negated(low), 'less');
}

export function moreText({ low, high }: Change): string {
  return boundsText(low, high, 'more');
}

/** Formats the possible change of overlapping ranges: `up to 12 % less or up to 15 % more is possible`. */
export function openText({ low, high }: Change): string {
  const part = (bound: number | null, word: string): string =>
    bound === null ? `any amount ${word}` : `up to ${percentText(bound, 'up')} ${word}`;
  return `${part(negated(low), 'less')} or ${part(high, 'more')} is possible`;
}

function boundsText(min: number | null, max: number | null, word: string): string {
  const [from, to] = [min ?? 0, max];
  if (from === 0) return to === null ? word : `up to ${percentText(to, 'up')} ${word}`;
  return to === null
    ? `at least ${percentText(from, 'down')} ${word}`
    : `between ${percentText(from, 'down')} and ${percentText(to, 'up')} ${word}`;
}

const negated = (change: number | null): number | null => (change === null ? null : 0 - change);

/** Rounds bounds outwards, so that a text never claims more than is known. */
function percentText(share: number, round: 'down' | 'up'): string {
  const percent = Number((share * 100).toPrecision(10));
  const digits = percent < 10 ? 10 : 1;
  const rounded = (round === 'down' ? Math.floor : Math.ceil)(percent * digits) / digits;
  return `${rounded < 10 ? String(rounded) : formatCount(rounded)} %`;
}
