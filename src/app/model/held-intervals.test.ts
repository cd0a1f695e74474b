import { describe, expect, test } from 'vitest';
import { nothingOf } from '../../result/journal/gather-journal.ts';
import { planFor } from '../../../test/support/synthetic-run.ts';
import { newCounters, storeCounters } from '../../record/counters.ts';
import type { Snapshot } from '../../record/snapshot.ts';
import { HeldIntervals } from './held-intervals.ts';

const nothing = nothingOf({ plan: planFor({}) });

/** An interval of one second that ends at `second`. */
const load = (second: number): Snapshot => ({ ...nothing, elapsedMs: second * 1000 });

/** An interval with a number of model calls. */
function calls(second: number, count: number): Snapshot {
  const counters = newCounters();
  counters.modelCalls.calls = count;
  const tally = { warmUp: false, policy: 0, counters: storeCounters(counters), series: {} };
  return { ...load(second), workers: ['model'], intervals: [{ startMs: (second - 1) * 1000, ...tally }] };
}

function hold(parts: number) {
  const said: string[] = [];
  const nameOf = ({ elapsedMs, workers }: Snapshot): string =>
    `${workers.includes('model') ? 'model' : 'load'} ${String(elapsedMs / 1000)}`;
  const held = new HeldIntervals({
    parts,
    publish: (piece) => said.push(nameOf(piece)),
    publishModel: (piece) => said.push(nameOf(piece)),
  });
  const countOf = (part: number): number =>
    (held.publishedOf(part)?.totals ?? []).reduce(
      (sum, { counters }) => sum + (counters.modelCalls?.['calls'] ?? 0),
      0,
    );
  return { held, said, countOf };
}

describe('the intervals of a run in one process', () => {
  test('are published when the model service has closed them, its calls first', () => {
    const { held, said } = hold(1);
    held.add(load(1));
    held.addModel(0, calls(1, 5));
    expect(said).toEqual([]);
    held.addModel(0, calls(2, 7));
    held.modelClosed(1000);
    expect(said).toEqual(['model 1', 'load 1']);
    held.modelClosed(2000);
    held.add(load(2));
    expect(said).toEqual(['model 1', 'load 1', 'model 2', 'load 2']);
  });

  test('are all published at the end, with calls that ended later', () => {
    const { held, said, countOf } = hold(1);
    held.add(load(1));
    held.addModel(0, calls(3, 2));
    held.end();
    expect(said).toEqual(['model 3', 'load 1']);
    expect(countOf(0)).toBe(2);
    expect(held.isWhole(0)).toBe(true);
  });

  test('wait no longer for a model service that is lost', () => {
    const { held, said } = hold(1);
    held.modelClosed(Infinity);
    held.add(load(1));
    expect(said).toEqual(['load 1']);
  });
});

describe('the model calls of a shard', () => {
  test('are published up to what it has delivered, even if the other shards went on', () => {
    const { held, said, countOf } = hold(3);
    held.delivered(0, 1000);
    held.delivered(1, 1000);
    for (const second of [1, 2, 3]) for (const part of [1, 2]) held.addModel(part, calls(second, 10 * part));
    held.modelClosed(3000);
    held.delivered(1, 3000);
    for (const second of [1, 2, 3]) held.add(load(second));
    held.delivered(1, Infinity);
    held.end();
    expect([countOf(1), countOf(2)]).toEqual([10, 60]);
    expect([held.isWhole(1), held.isWhole(2)]).toEqual([false, true]);
    expect(said.filter((each) => each.startsWith('model'))).toHaveLength(4);
  });

  test('are in no figure if it delivered nothing', () => {
    const { held, countOf } = hold(2);
    held.addModel(1, calls(1, 10));
    held.add(load(1));
    held.end();
    expect(countOf(1)).toBe(0);
    expect(held.publishedOf(1)).toBeUndefined();
  });

  test('are published when it has caught up', () => {
    const { held, countOf } = hold(2);
    held.addModel(1, calls(1, 10));
    held.modelClosed(1000);
    held.add(load(1), [{ shard: 0, untilMs: 0 }]);
    expect(countOf(1)).toBe(0);
    held.delivered(0, 1000);
    held.end();
    expect(countOf(1)).toBe(10);
  });
});
