/** Which point of which series is read. */
export interface Pointed {
  series: number;
  point: number;
}

/** The points of each series from left to right; none for a series that is hidden. */
type Shown = readonly (readonly { x: number }[])[];

/**
 * Where a key moves the reading to: left and right (with Shift by ten), Home and End along a series, up and down to the
 * same place of another. Escape ends it (`null`). `undefined`: not a key of it.
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

/** The point nearest to a place in pixels, of all series. */
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
