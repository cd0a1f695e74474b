import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../../../test/support/http-manual-clock.ts';
import { VirtualClock } from '../../../../test/support/virtual-clock.ts';
import { instant } from '../../../base/time.ts';
import { DueEntry, DeadlineQueue } from './deadline-queue.ts';

const listOf = (clock: VirtualClock) => {
  const expired: [owner: string, at: number][] = [];
  return { expired, list: new DeadlineQueue<string>(clock, (owner) => expired.push([owner, clock.now()])) };
};

describe('a deadline queue', () => {
  test('expires its entries in the order of their instants, each at its own', async () => {
    const clock = new VirtualClock();
    const { list, expired } = listOf(clock);
    for (const [owner, due] of Object.entries({ a: 30, b: 10, c: 20, d: 10, e: 40, f: 40 })) {
      list.add(new DueEntry(owner), instant(due));
    }
    expect([list.first?.owner, list.last?.owner]).toEqual(['b', 'f']);
    await clock.run();
    expect(expired).toEqual(Object.entries({ b: 10, d: 10, c: 20, a: 30, e: 40, f: 40 }));
    expect(clock.pending).toBe(0);
  });

  test('does not expire a removed entry, and expires one that was added again at its new time', async () => {
    const clock = new VirtualClock();
    const { list, expired } = listOf(clock);
    const [gone, moved] = [new DueEntry('gone'), new DueEntry('moved')];
    list.add(gone, instant(10));
    list.add(moved, instant(15));
    list.remove(gone);
    list.remove(moved);
    list.add(moved, instant(25));
    await clock.run();
    expect(expired).toEqual([['moved', 25]]);
  });

  test('has one timer, however entries change', () => {
    const clock = new VirtualClock();
    const { list } = listOf(clock);
    const entries = Array.from({ length: 50 }, (_, index) => new DueEntry(String(index)));
    for (const [index, entry] of entries.entries()) list.add(entry, instant(100 - index));
    expect(clock.pending).toBe(1);
    for (const entry of entries) list.remove(entry);
    list.stop();
    expect(clock.pending).toBe(0);
  });

  test('leaves an entry of another list alone', () => {
    const clock = new VirtualClock();
    const [{ list: one }, { list: other }] = [listOf(clock), listOf(clock)];
    const entry = new DueEntry('x');
    one.add(entry, instant(5));
    other.remove(entry);
    expect([one.first, one.last, entry.list]).toEqual([entry, entry, one]);
  });

  test('lets the sockets be read before it expires anything', async () => {
    const clock = new ManualClock();
    const expired: string[] = [];
    const list = new DeadlineQueue<string>(clock, (owner) => expired.push(owner));
    const [answered, silent] = [new DueEntry('answered'), new DueEntry('silent')];
    list.add(answered, instant(10));
    list.add(silent, instant(10));
    clock.wakeAllAt(500);
    list.remove(answered);
    expect(expired).toEqual([]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(expired).toEqual(['silent']);
  });

  test('takes entries while it expires others', async () => {
    const clock = new VirtualClock();
    const expired: number[] = [];
    const list = new DeadlineQueue<number>(clock, (owner) => {
      expired.push(owner);
      if (owner < 3) list.add(new DueEntry(owner + 1), instant(clock.now() + 10));
    });
    list.add(new DueEntry(1), instant(10));
    await clock.run();
    expect(expired).toEqual([1, 2, 3]);
    expect(clock.now()).toBe(30);
  });

  test('is in order and loses nothing, whatever is done to it', () => {
    const clock = new VirtualClock();
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat({ max: 9 }), fc.nat({ max: 20 }))), (moves) => {
        const { list } = listOf(clock);
        const entries = Array.from({ length: 10 }, (_, index) => new DueEntry(String(index)));
        const dues = new Map<string, number>();
        for (const [index, due] of moves) {
          const entry = entries[index] ?? new DueEntry('none');
          if (dues.delete(entry.owner)) list.remove(entry);
          else list.add(entry, instant(dues.set(entry.owner, due).get(entry.owner) ?? NaN));
        }
        const forwards: [string, number][] = [];
        for (let entry = list.first; entry !== undefined; entry = entry.after) forwards.push([entry.owner, entry.due]);
        const backwards: string[] = [];
        for (let entry = list.last; entry !== undefined; entry = entry.before) backwards.push(entry.owner);
        expect(new Map(forwards)).toEqual(dues);
        expect(forwards.map(([, due]) => due)).toEqual([...dues.values()].sort((a, b) => a - b));
        expect(backwards.reverse()).toEqual(forwards.map(([owner]) => owner));
        list.stop();
      }),
    );
  });
});
