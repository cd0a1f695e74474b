import type { LinesBlock, Unit } from '../../report/page/page.ts';
import { instantText, valueText } from './values.ts';
import type { XyPoint, XySeries } from './xy-drawing.ts';
import { percentileText } from './scales.ts';

/** Reading of a series between its points. */
export type Between = 'nothing' | 'last' | 'next';

/**
 * Returns the point of a series that applies to `x`: its own if it has one, otherwise none, the previous one (a step
 * holds until the next), or the next one (an upper bound for the percentile).
 */
export function readAt(points: readonly XyPoint[], x: number, between: Between): XyPoint | null {
  const own = points.find((point) => point.x === x);
  if (own !== undefined || between === 'nothing') return own ?? null;
  return (between === 'last' ? points.findLast((point) => point.x < x) : points.find((point) => point.x > x)) ?? null;
}

export function positionText({ form, title, labels }: LinesBlock['x'], x: number): string {
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

function spreadText({ y, low, high }: XyPoint, unit: Unit): string {
  const interval = low === null || high === null ? '' : ` (${valueText(low, unit)} to ${valueText(high, unit)})`;
  return `${valueText(y, unit)}${interval}`;
}

/** Describes all values at a position, the chosen series first. */
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
  return `${positionText(x, at)}: ${texts.join('; ')}`;
}

/** Indexes of the point that is read. */
export interface Pointed {
  series: number;
  point: number;
}

/** Points of each series from left to right; empty for hidden ones. */
type Shown = readonly (readonly { x: number }[])[];

/**
 * Moves the reading by a key: left and right (with Shift by ten), Home and End along a series, up and down to the same
 * position of another one. Escape ends it (null). Returns undefined for other keys.
 */
export function movePointed(
  { key, shiftKey }: { key: string; shiftKey: boolean },
  at: Pointed | null,
  shown: Shown,
): Pointed | null | undefined {
  if (key === 'Escape') return null;
  const moves: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
  const along = moves[key];
  if (along !== undefined) return moveAlong(at, along * (shiftKey ? 10 : 1), shown);
  if (key === 'ArrowUp' || key === 'ArrowDown') return moveAcross(at, key === 'ArrowUp' ? -1 : 1, shown);
  return undefined;
}

function moveAlong(at: Pointed | null, by: number, shown: Shown): Pointed | null {
  const series = at?.series ?? shown.findIndex((points) => points.length > 0);
  const last = (shown[series]?.length ?? 0) - 1;
  if (last < 0) return null;
  const from = at?.point ?? (by > 0 ? -1 : last + 1);
  return { series, point: Math.min(last, Math.max(0, from + by)) };
}

function moveAcross(at: Pointed | null, by: number, shown: Shown): Pointed | null {
  const candidates = [...shown.keys()].filter((index) => (shown[index]?.length ?? 0) > 0);
  if (at === null || candidates.length === 0) return moveAlong(null, 1, shown);
  const next = candidates[(candidates.indexOf(at.series) + by + candidates.length) % candidates.length] ?? at.series;
  const x = shown[at.series]?.[at.point]?.x ?? 0;
  return { series: next, point: nearestBy(shown[next] ?? [], (point) => Math.abs(point.x - x)) };
}

/** Returns the point of any series nearest to a position in pixels. */
export function nearestPointed(
  drawn: readonly (readonly { x: number; y: number }[])[],
  to: { x: number; y: number },
): Pointed | null {
  const away = (dot: { x: number; y: number }): number => Math.hypot(dot.x - to.x, (dot.y - to.y) / 2);
  const best = drawn.flatMap((dots, series) => {
    const point = nearestBy(dots, away);
    const dot = dots[point];
    return dot === undefined ? [] : [{ series, point, distance: away(dot) }];
  });
  const winner = best.toSorted((one, other) => one.distance - other.distance)[0];
  return winner === undefined ? null : { series: winner.series, point: winner.point };
}

function nearestBy<T>(items: readonly T[], distance: (item: T) => number): number {
  let best = 0;
  for (const [index, item] of items.entries()) if (distance(item) < distance(items[best] ?? item)) best = index;
  return best;
}
