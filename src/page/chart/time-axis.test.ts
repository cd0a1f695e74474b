import { expect, test, vi } from 'vitest';
import { TimeAxis } from './time-axis.ts';

test('tells every watcher of each change once, and none of what is as it was', () => {
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

test('tells nothing any more to a watcher that left', () => {
  const axis = new TimeAxis();
  const changed = vi.fn();
  axis.watch(changed)();
  axis.point(5);
  expect(changed).not.toHaveBeenCalled();
});

test('has changed already when it tells', () => {
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
