import type { LinesBlock, Unit } from '../../report/page/page.ts';
import { instantText, valueText } from '../chart/values.ts';
import type { XyPoint, XySeries } from './xy-series.ts';
import { percentileText } from './xy-scales.ts';

/** How a series is read where it has no point of its own. */
export type Between = 'nothing' | 'last' | 'next';

/**
 * The point of a series that says something of `x`: its own; else nothing, or the last before (a step holds until the
 * next), or the next after it (so many per cent of the values are at most that).
 */
export function readAt(points: readonly XyPoint[], x: number, between: Between): XyPoint | null {
  const own = points.find((point) => point.x === x);
  if (own !== undefined || between === 'nothing') return own ?? null;
  return (between === 'last' ? points.findLast((point) => point.x < x) : points.find((point) => point.x > x)) ?? null;
}

/** A place on the axis across, in words. */
export function placeText({ form, title, labels }: LinesBlock['x'], x: number): string {
  switch (form) {
    case 'number':
    case 'log':
      return `${title} ${valueText(x, 'count')}`.trim();
    case 'durationMs':
      return `at ${instantText(x)}`;
    case 'percentile':
      return percentileText(x);
    case 'text':
      return labels[x] ?? '-';
  }
}

/** A value and its interval. */
function spreadText({ y, low, high }: XyPoint, unit: Unit): string {
  const interval = low === null || high === null ? '' : ` (${valueText(low, unit)} to ${valueText(high, unit)})`;
  return `${valueText(y, unit)}${interval}`;
}

/** All that is read at a place, the chosen series first. */
export function readingText(
  { x, unitOf, chosen }: { x: LinesBlock['x']; unitOf: (series: XySeries) => Unit; chosen: number },
  at: number,
  values: readonly { series: XySeries; point: XyPoint | null }[],
): string {
  const of = (each: (typeof values)[number]): string[] =>
    each.point === null ? [] : [`${each.series.label} ${spreadText(each.point, unitOf(each.series))}`];
  const first = values[chosen];
  const texts = [
    ...(first === undefined ? [] : of(first)),
    ...values.flatMap((each, index) => (index === chosen ? [] : of(each))),
  ];
  return `${placeText(x, at)}: ${texts.join('; ')}`;
}
