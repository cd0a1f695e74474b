import type { Span } from './area.ts';

/** A label of an axis: where, in pixels. */
export interface Tick {
  at: number;
  label: string;
}

/** About how wide a character of 12 px is in a wide font: there is nothing to measure before it is drawn. */
const characterPx = 7.3;

export function widthOf(text: string): number {
  return text.length * characterPx;
}

/** A text cut to a width, with an ellipsis where something is missing. */
export function fitText(text: string, px: number): string {
  if (widthOf(text) <= px) return text;
  return `${text.slice(0, Math.max(1, Math.floor(px / characterPx) - 1)).trimEnd()}…`;
}

/** Every so-manieth of evenly spread labels, so that none touches the next. The first always stands. */
export function thinTexts(ticks: readonly Tick[], gapPx = 12): Tick[] {
  const widest = Math.max(0, ...ticks.map(({ label }) => widthOf(label))) + gapPx;
  const stepPx = Math.abs((ticks[1]?.at ?? Infinity) - (ticks[0]?.at ?? 0));
  const every = Math.max(1, Math.ceil(widest / Math.max(stepPx, 0.01)));
  return ticks.filter((_, index) => index % every === 0);
}

/** Labels from left to right as far as they do not touch the one before; the last stands rather than the one before it. */
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
  /** Which line of texts, from the top. */
  lane: number;
  /** Whether the text stands right of its place, or left of it. */
  anchor: 'start' | 'end';
}

/**
 * Labels of vertical lines, in up to `lanes` lines of text above each other. `null`: they do not fit, and are to be
 * numbered and listed elsewhere.
 */
export function placeLabels(labels: readonly Tick[], { fromPx, toPx }: Span, lanes = 3): PlacedLabel[] | null {
  const taken: number[] = [];
  const placed: PlacedLabel[] = [];
  for (const { at, label } of labels.toSorted((one, other) => one.at - other.at)) {
    const width = widthOf(label) + 8;
    const anchor = at + width <= toPx + 20 ? 'start' : 'end';
    const start = anchor === 'start' ? at : at - width;
    const lane = Array.from({ length: lanes }, (_, index) => index).find(
      (index) => (taken[index] ?? fromPx - 20) <= start,
    );
    if (lane === undefined) return null;
    taken[lane] = start + width;
    placed.push({ at, label, lane, anchor });
  }
  return placed;
}
