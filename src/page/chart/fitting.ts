import type { Span } from './area.ts';

/** Label of an axis; its position is in pixels. */
export interface Tick {
  at: number;
  label: string;
  /** Middle of the label, if it would run over the edge of the chart at its tick. */
  labelAt?: number;
}

/** Approximate width of a 12 px character in a wide font; text cannot be measured before it is drawn. */
const characterPx = 7.3;

export function widthOf(text: string): number {
  return text.length * characterPx;
}

/** Cuts a text to a width, with an ellipsis. */
export function fitText(text: string, px: number): string {
  if (widthOf(text) <= px) return text;
  return `${text.slice(0, Math.max(1, Math.floor(px / characterPx) - 1)).trimEnd()}…`;
}

/** Keeps every n-th of evenly spaced labels, the last included, so that none touches the next. */
export function thinTexts(ticks: readonly Tick[], gapPx = 12): Tick[] {
  const last = ticks.at(-1);
  const movedPx = last === undefined ? 0 : last.at - (last.labelAt ?? last.at);
  const widest = Math.max(0, ...ticks.map(({ label }) => widthOf(label))) + gapPx + movedPx;
  const stepPx = Math.abs((ticks[1]?.at ?? Infinity) - (ticks[0]?.at ?? 0));
  const every = Math.max(1, Math.ceil(widest / Math.max(stepPx, 0.01)));
  return ticks.filter((_, index) => (ticks.length - 1 - index) % every === 0);
}

/** Moves labels away from the edge `toPx`. */
export function keepWithin(ticks: readonly Tick[], toPx: number): Tick[] {
  return ticks.map((tick) => {
    const labelAt = toPx - widthOf(tick.label) / 2;
    return labelAt < tick.at ? { ...tick, labelAt } : tick;
  });
}

/** Drops labels that touch the previous one; the last label replaces the previous one. */
export function dropTouching(ticks: readonly Tick[], gapPx = 8): Tick[] {
  const kept: Tick[] = [];
  for (const tick of ticks) {
    const isLast = tick === ticks.at(-1);
    while (isLast && kept.length > 1 && touches(kept.at(-1), tick, gapPx)) kept.pop();
    if (!touches(kept.at(-1), tick, gapPx)) kept.push(tick);
  }
  return kept;
}

function touches(left: Tick | undefined, right: Tick, gapPx: number): boolean {
  return left !== undefined && right.at - left.at < (widthOf(left.label) + widthOf(right.label)) / 2 + gapPx;
}

export interface PlacedLabel extends Tick {
  /** Row of the text, from the top. */
  lane: number;
  /** `start`: the text is right of its line; `end`: left of it. */
  anchor: 'start' | 'end';
}

/**
 * Places the labels of vertical lines in up to `lanes` rows above each other, so that no label crosses the line of
 * another: labels right of their lines from the left, then labels left of their lines from the right. Returns null if
 * they do not fit; they are then numbered and listed elsewhere.
 */
export function placeLabels(labels: readonly Tick[], { fromPx, toPx }: Span, lanes = 3): PlacedLabel[] | null {
  const sized = labels
    .toSorted((one, other) => one.at - other.at)
    .map(({ at, label }) => {
      const width = widthOf(label) + 8;
      const anchor = at + width <= toPx + 20 ? ('start' as const) : ('end' as const);
      const startPx = anchor === 'start' ? at : at - width;
      return { at, label, anchor, startPx, endPx: startPx + width };
    });
  const ordered = [
    ...sized.filter(({ anchor }) => anchor === 'start'),
    ...sized.filter(({ anchor }) => anchor === 'end').toReversed(),
  ];
  const placed: (PlacedLabel & { startPx: number; endPx: number })[] = [];
  for (const each of ordered) {
    const isFree = (lane: number): boolean =>
      placed.every((other) => {
        if (other.lane === lane) return other.endPx <= each.startPx || other.startPx >= each.endPx;
        // A line goes down from its label, through the lanes below.
        const [upper, lower] = other.lane < lane ? [other, each] : [each, other];
        return upper.at <= lower.startPx || upper.at >= lower.endPx;
      });
    const lane = Array.from({ length: lanes }, (_, index) => index).find(isFree);
    if (lane === undefined || each.startPx < fromPx - 20) return null;
    placed.push({ ...each, lane });
  }
  return placed
    .toSorted((one, other) => one.at - other.at)
    .map(({ at, label, lane, anchor }) => ({ at, label, lane, anchor }));
}
