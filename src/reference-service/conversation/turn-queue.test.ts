import { describe, expect, test } from 'vitest';
import { TurnQueue } from './session-store.ts';

describe('a partition', () => {
  test('runs a task without delay at once', () => {
    const queue = new TurnQueue();
    const done: number[] = [];
    queue.run(() => void done.push(1));
    queue.run(() => void done.push(2));
    expect([done, queue.isFree]).toEqual([[1, 2], true]);
  });

  test('runs tasks one after another, in order of arrival', async () => {
    const queue = new TurnQueue();
    const done: string[] = [];
    const ends: (() => void)[] = [];
    const work = (name: string) => (): Promise<void> => {
      done.push(`begin ${name}`);
      return new Promise((resolve) =>
        ends.push(() => {
          done.push(`end ${name}`);
          resolve();
        }),
      );
    };
    queue.run(work('a'));
    queue.run(work('b'));
    expect([done, queue.isFree]).toEqual([['begin a'], false]);
    ends[0]?.();
    await new Promise(setImmediate);
    queue.run(() => void done.push('c'));
    ends[1]?.();
    await new Promise(setImmediate);
    expect(done).toEqual(['begin a', 'end a', 'begin b', 'end b', 'c']);
    expect(queue.isFree).toBe(true);
  });
});
