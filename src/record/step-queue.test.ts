import { expect, test } from 'vitest';
import { StepQueue, type Steps } from './interval-store.ts';

function* note(done: string[], name: string, steps: number): Steps {
  for (let step = 1; step <= steps; step++) {
    done.push(`${name}${String(step)}`);
    yield;
  }
}

test('work is done in order, one step per turn of the event loop', () => {
  const waiting: (() => void)[] = [];
  const done: string[] = [];
  const queue = new StepQueue((run) => waiting.push(run));
  queue.add(note(done, 'a', 3));
  queue.add(note(done, 'b', 2));
  expect(done).toEqual([]);
  expect(waiting).toHaveLength(1);
  waiting.shift()?.();
  expect(done).toEqual(['a1']);
  while (waiting.length > 0) waiting.shift()?.();
  expect(done).toEqual(['a1', 'a2', 'a3', 'b1', 'b2']);
});

test('draining does all that is left at once', () => {
  const waiting: (() => void)[] = [];
  const done: string[] = [];
  const queue = new StepQueue((run) => waiting.push(run));
  queue.add(note(done, 'a', 5));
  queue.drain();
  expect(done).toHaveLength(5);
  waiting.shift()?.();
  expect(waiting).toEqual([]);
});
