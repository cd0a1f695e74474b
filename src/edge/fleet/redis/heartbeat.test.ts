import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ToShard } from '../../../fleet/messages.ts';
import { OrdersOfShard, OrdersToShards } from './heartbeat.ts';
import { heartbeatSchema } from './wire.ts';

const drain: ToShard = { kind: 'stop', level: 'drain' };
const cut: ToShard = { kind: 'stop', level: 'cut' };
const start: ToShard = { kind: 'start', at: 1234.5 };

describe('the orders of a coordinator', () => {
  test('reaches a shard that read the last heartbeat alone', () => {
    const told = new OrdersToShards();
    told.next([0, 0]);
    told.add(start);
    told.next([0, 0]);
    told.add(drain);
    expect(new OrdersOfShard(1).take(told.next([0, 0]))?.messages).toEqual([start, drain]);
  });

  test('is passed on once, however often it is repeated', () => {
    const [told, shard] = [new OrdersToShards(), new OrdersOfShard(0)];
    told.add(start);
    expect(shard.take(told.next([0]))?.messages).toEqual([start]);
    expect(shard.take(told.next([0]))?.messages).toEqual([]);
  });

  test('is not reverted by a late heartbeat', () => {
    const [told, shard] = [new OrdersToShards(), new OrdersOfShard(0)];
    const early = told.next([0]);
    told.add(cut);
    shard.take(told.next([0]));
    expect(shard.take(early)).toBeUndefined();
  });

  test('never lowers the level to stop at', () => {
    const [told, shard] = [new OrdersToShards(), new OrdersOfShard(0)];
    told.add(cut, 0);
    told.add(drain, 0);
    told.add(drain);
    expect(shard.take(told.next([0]))?.messages).toEqual([cut]);
  });

  test('to one shard are received by that one alone', () => {
    const told = new OrdersToShards();
    told.add(drain, 1);
    told.abandon(2);
    const heartbeat = told.next([0, 0, 0]);
    const heard = [0, 1, 2].map((shard) => new OrdersOfShard(shard).take(heartbeat));
    expect(heard).toEqual([
      { messages: [], isAbandoned: false },
      { messages: [drain], isAbandoned: false },
      { messages: [], isAbandoned: true },
    ]);
  });

  test('ends with a cut of every shard when the run is over', () => {
    const told = new OrdersToShards();
    told.close();
    const heartbeat = told.next([3]);
    expect(heartbeat).toMatchObject({ isClosed: true, acknowledged: [3] });
    expect(new OrdersOfShard(0).take(heartbeat)?.messages).toEqual([cut]);
  });

  test('fit their schema, and every shard finally has the same whatever was lost on the way', () => {
    const said = fc.oneof(fc.constant(drain), fc.constant(cut), fc.constant(start));
    const step = fc.record({ said, shard: fc.option(fc.nat(2), { nil: undefined }), isLost: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
        const told = new OrdersToShards();
        const shards = [0, 1, 2].map((index) => ({ some: new OrdersOfShard(index), all: new OrdersOfShard(index) }));
        const heard = shards.map(() => ({ some: new Set<string>(), all: new Set<string>() }));
        const hear = (which: 'some' | 'all', text: string): void =>
          shards.forEach((shard, index) => {
            const taken = shard[which].take(heartbeatSchema.parse(JSON.parse(text)));
            for (const each of taken?.messages ?? []) heard[index]?.[which].add(JSON.stringify(each));
          });
        for (const each of steps) {
          told.add(each.said, each.shard);
          const text = JSON.stringify(told.next([0, 0, 0]));
          hear('all', text);
          if (!each.isLost) hear('some', text);
        }
        hear('some', JSON.stringify(told.next([0, 0, 0])));
        const last = (words: Set<string>): unknown => [
          words.has(JSON.stringify(start)),
          words.has(JSON.stringify(cut)) || words.has(JSON.stringify(drain)),
          words.has(JSON.stringify(cut)),
        ];
        for (const { some, all } of heard) expect(last(some)).toEqual(last(all));
      }),
    );
  });
});
