import type { TimeAxis } from './time-axis.ts';

/** Moves cursor and range by the keyboard: arrows (with Shift by ten), Home, End, + and - about the cursor, 0 and Escape. */
export function moveByKey(event: KeyboardEvent, axis: TimeAxis, times: Times): void {
  const move = moves[event.key];
  if (move === undefined || event.ctrlKey || event.metaKey || event.altKey || times.length === 0) return;
  event.preventDefault();
  move(axis, times, event.shiftKey ? 10 : 1);
}

/** The middles of the intervals, rising. */
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
