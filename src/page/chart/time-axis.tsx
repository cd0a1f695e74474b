import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { instantText } from './values.ts';

export interface Range {
  fromMs: number;
  toMs: number;
}

/** State shared by all charts over time: the visible range and the cursor. */
export class TimeAxis {
  /** End of the longest run. */
  endMs = 1;
  /** Visible range; null for the whole run. */
  range: Range | null = null;
  /** Instant at the cursor; null if there is none. */
  atMs: number | null = null;
  readonly #watchers = new Set<() => void>();

  /** Calls `changed` after every change. Returns a function that stops it. */
  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => void this.#watchers.delete(changed);
  }

  show(range: Range | null): void {
    if (range?.fromMs === this.range?.fromMs && range?.toMs === this.range?.toMs) return;
    this.range = range;
    this.#notify();
  }

  point(atMs: number | null): void {
    if (atMs === this.atMs) return;
    this.atMs = atMs;
    this.#notify();
  }

  #notify(): void {
    for (const changed of this.#watchers) changed();
  }
}

export const TimeAxisContext = createContext(new TimeAxis());

interface Followed {
  axis: TimeAxis;
  /** Null for the whole run. */
  range: Range | null;
  /** Null without a cursor. */
  atMs: number | null;
}

/** Returns the shared time axis and re-renders with its changes. */
export function useTimeAxis(): Followed {
  const axis = useContext(TimeAxisContext);
  const [state, update] = useState({ range: axis.range, atMs: axis.atMs });
  useEffect(() => axis.watch(() => update({ range: axis.range, atMs: axis.atMs })), [axis]);
  return { axis, ...state };
}

/** Moves cursor and range by keyboard: arrows (with Shift by ten), Home, End, + and - around the cursor, 0 and Escape. */
export function moveByKey(event: KeyboardEvent, axis: TimeAxis, times: Times): void {
  const move = moves[event.key];
  if (move === undefined || event.ctrlKey || event.metaKey || event.altKey || times.length === 0) return;
  event.preventDefault();
  move(axis, times, event.shiftKey ? 10 : 1);
}

/** Middles of the intervals, in ascending order. */
type Times = ArrayLike<number>;
type Move = (axis: TimeAxis, times: Times, step: number) => void;

const moves: Readonly<Record<string, Move>> = {
  ArrowRight: (axis, times, step) => stepBy(axis, times, step),
  ArrowLeft: (axis, times, step) => stepBy(axis, times, -step),
  Home: (axis, times) => axis.point(times[0] ?? null),
  End: (axis, times) => axis.point(times[times.length - 1] ?? null),
  '+': (axis) => zoom(axis, 0.5),
  '-': (axis) => zoom(axis, 2),
  '0': (axis) => axis.show(null),
  Escape: (axis) => axis.show(null),
};

function stepBy(axis: TimeAxis, times: Times, by: number): void {
  const at = axis.atMs;
  let index = by > 0 ? -1 : times.length;
  if (at !== null) {
    index = 0;
    while (index < times.length - 1 && (times[index] ?? 0) < at) index++;
  }
  const next = Math.min(times.length - 1, Math.max(0, index + by));
  axis.point(times[next] ?? null);
}

function zoom(axis: TimeAxis, factor: number): void {
  const { endMs } = axis;
  const { fromMs, toMs } = axis.range ?? { fromMs: 0, toMs: endMs };
  const middle = axis.atMs ?? (fromMs + toMs) / 2;
  const [from, to] = [middle - (middle - fromMs) * factor, middle + (toMs - middle) * factor];
  const range = { fromMs: Math.max(0, from), toMs: Math.min(endMs, to) };
  axis.show(range.fromMs <= 0 && range.toMs >= endMs ? null : range);
}

/** Button that shows the whole run again; absent while it is visible. */
export function ResetZoom({ axis, range }: { axis: TimeAxis; range: Range | null }) {
  if (range === null) return null;
  return (
    <button type="button" class="reset" onClick={() => axis.show(null)}>
      {instantText(range.fromMs)} to {instantText(range.toMs)}: show all
    </button>
  );
}
