import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FromShard } from '../../../fleet/messages.ts';
import { ShardInbox } from './open-redis-fleet.ts';

function hearing(count = 2) {
  const heard: [number, FromShard][] = [];
  const gone: [number, string][] = [];
  const shards = new ShardInbox(count, {
    received: (shard, message) => heard.push([shard, message]),
    gone: (shard, reason) => gone.push([shard, reason]),
  });
  return {
    shards,
    heard,
    gone,
    numbers: () => heard.map(([, message]) => message.kind === 'started' && message.lateMs),
  };
}

const entry = (shard: number, number: number, said: unknown = { kind: 'started', lateMs: number }) => ({
  shard: String(shard),
  number: String(number),
  clockUncertaintyMs: '0.25',
  said: JSON.stringify(said),
});

describe('the shards of a run', () => {
  test('are received in the order in which they were sent, each once, whatever arrives twice or too early', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 30 }), (arriving) => {
        const { shards, numbers } = hearing();
        // Unacknowledged entries are sent again at the end.
        for (const number of [...arriving, 1, 2, 3, 4, 5, 6, 7, 8, 9]) shards.take(entry(1, number));
        expect(numbers()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
        expect(shards.acknowledged).toEqual([0, 9]);
      }),
    );
  });

  test('with a hole are received only up to the hole, which is detected', () => {
    const { shards, numbers } = hearing();
    for (const number of [1, 3, 4]) shards.take(entry(0, number));
    expect([numbers(), shards.acknowledged[0], shards.holes]).toEqual([[1], 1, 2]);
  });

  test.each([
    ['is not JSON', '{"kind":'],
    ['is of no known kind', '{"kind":"surprise"}'],
    ['has a field of another type', '{"kind":"started","lateMs":"soon"}'],
    ['is nothing', ''],
  ])('end when one sends %s, and only that one', (_, said) => {
    const { shards, heard, gone } = hearing();
    shards.take({ ...entry(0, 1), said });
    shards.take(entry(0, 2));
    shards.take(entry(1, 1));
    expect(gone).toEqual([[0, 'its message could not be read']]);
    expect(heard).toEqual([[1, { kind: 'started', lateMs: 1 }]]);
    expect(shards.acknowledged).toEqual([2, 1]);
  });

  test('whose process has ended are reported, and why', () => {
    const { shards, gone } = hearing();
    shards.take(entry(1, 1, { kind: 'gone', reason: 'its process was ended by SIGKILL' }));
    expect(gone).toEqual([[1, 'its process was ended by SIGKILL']]);
  });

  test('that were given up are ignored', () => {
    const { shards, heard } = hearing();
    shards.leave(0);
    shards.take(entry(0, 1));
    expect(heard).toEqual([]);
  });

  test.each([
    [{}],
    [{ ...entry(0, 1), shard: '2' }],
    [{ ...entry(0, 1), shard: 'length' }],
    [{ ...entry(0, 1), number: '1.5' }],
    [{ ...entry(0, 1), clockUncertaintyMs: 'NaN' }],
  ])('are not touched by an entry of none of them: %j', (fields) => {
    const { shards, heard, gone } = hearing();
    shards.take(fields);
    expect([heard, gone, shards.unreadable]).toEqual([[], [], 1]);
  });

  test('report the uncertainty of their clock', () => {
    const { shards } = hearing();
    shards.take(entry(1, 1));
    expect([shards.clockUncertaintyMs(0), shards.clockUncertaintyMs(1)]).toEqual([0, 0.25]);
  });
});
