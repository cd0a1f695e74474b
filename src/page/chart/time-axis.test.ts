import { expect, test, vi, describe } from 'vitest';
import { TimeAxis, moveByKey } from './time-axis.tsx';

test('notifies every watcher of each change once, and of nothing else', () => {
  const axis = new TimeAxis();
  const [one, other] = [vi.fn(), vi.fn()];
  axis.watch(one);
  axis.watch(other);
  axis.point(5);
  axis.point(5);
  axis.show({ fromMs: 1, toMs: 2 });
  axis.show({ fromMs: 1, toMs: 2 });
  axis.show(null);
  axis.show(null);
  expect([one.mock.calls.length, other.mock.calls.length]).toEqual([3, 3]);
});

test('stops notifying a watcher that left', () => {
  const axis = new TimeAxis();
  const changed = vi.fn();
  axis.watch(changed)();
  axis.point(5);
  expect(changed).not.toHaveBeenCalled();
});

test('has changed already when it notifies watchers', () => {
  const axis = new TimeAxis();
  const seen: unknown[] = [];
  axis.watch(() => seen.push([axis.range, axis.atMs]));
  axis.show({ fromMs: 1, toMs: 2 });
  axis.point(1.5);
  expect(seen).toEqual([
    [{ fromMs: 1, toMs: 2 }, null],
    [{ fromMs: 1, toMs: 2 }, 1.5],
  ]);
});

const times = Array.from({ length: 30 }, (_, at) => at * 10 + 5);

/** Presses keys one after the other; `Shift+` and `Control+` before one hold that key. */
function press(axis: TimeAxis, ...keys: readonly string[]): number {
  const preventDefault = vi.fn();
  for (const name of keys) {
    const [key = '', held = ''] = name.split(/(?<=.)\+(?=.)/).toReversed();
    const modifiers = { shiftKey: held === 'Shift', ctrlKey: held === 'Control', metaKey: false, altKey: false };
    moveByKey({ key, preventDefault, ...modifiers } as unknown as KeyboardEvent, axis, times);
  }
  return preventDefault.mock.calls.length;
}

function axisOf(atMs: number | null = null): TimeAxis {
  const axis = new TimeAxis();
  axis.endMs = 300;
  axis.point(atMs);
  return axis;
}

describe('the cursor', () => {
  test.each<[string, number | null, string[], number]>([
    ['starts at the first interval', null, ['ArrowRight'], 5],
    ['starts at the last one, going left', null, ['ArrowLeft'], 295],
    ['moves by an interval', 15, ['ArrowRight', 'ArrowRight', 'ArrowLeft'], 25],
    ['moves by ten with Shift', 15, ['Shift+ArrowRight'], 115],
    ['stays at the ends', 15, ['Shift+ArrowLeft', 'ArrowLeft'], 5],
    ['stays at the other end', 285, ['Shift+ArrowRight'], 295],
    ['goes to the first', 155, ['Home'], 5],
    ['goes to the last', 155, ['End'], 295],
  ])('%s', (_, from, keys, to) => {
    const axis = axisOf(from);
    press(axis, ...keys);
    expect(axis.atMs).toBe(to);
  });
});

describe('the range', () => {
  test('halves about the cursor, and doubles again up to the whole', () => {
    const axis = axisOf(155);
    press(axis, '+');
    expect(axis.range).toEqual({ fromMs: 77.5, toMs: 227.5 });
    press(axis, '-');
    expect(axis.range).toBeNull();
  });

  test('never leaves the run', () => {
    const axis = axisOf(5);
    press(axis, '+', '+', '-');
    expect(axis.range?.fromMs).toBeGreaterThanOrEqual(0);
    expect(axis.range?.toMs).toBeLessThanOrEqual(300);
  });

  test.each(['0', 'Escape'])('is the whole run after %s', (key) => {
    const axis = axisOf(155);
    press(axis, '+', key);
    expect(axis.range).toBeNull();
  });
});

test('other keys, including browser shortcuts, are ignored', () => {
  const axis = axisOf(15);
  expect(press(axis, 'Tab', 'a', 'Control+ArrowRight', 'Control+0')).toBe(0);
  expect([axis.atMs, axis.range]).toEqual([15, null]);
  expect(press(axis, 'ArrowRight')).toBe(1);
});

test('without times nothing moves', () => {
  const axis = axisOf();
  moveByKey({ key: 'End', preventDefault: () => undefined } as unknown as KeyboardEvent, axis, []);
  expect(axis.atMs).toBeNull();
});
