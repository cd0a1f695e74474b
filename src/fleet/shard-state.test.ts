import { expect, test } from 'vitest';
import { instant } from '../base/time.ts';
import { ShardSilence, ShardState } from './shard-state.ts';

const lostAt = (looks: readonly (readonly [at: number, interruptedSince: number | undefined])[]): number[] => {
  const state = new ShardState(0, instant(0));
  state.phase = 'ready';
  const silence = new ShardSilence(instant(0));
  return looks.flatMap(([at, since]) => {
    const interruptedSince = since === undefined ? undefined : instant(since);
    return silence.look(instant(at), { states: [state], interruptedSince }).map(() => at);
  });
};
const every = (from: number, to: number, since?: number): [number, number | undefined][] =>
  Array.from({ length: (to - from) / 500 + 1 }, (_, step) => [from + step * 500, since]);

test('a silent shard is lost after 4.5 s', () => {
  expect(lostAt(every(0, 5000))).toEqual([4500, 5000]);
});

test('a stall of the coordinator or an interruption is not silence of a shard', () => {
  expect(lostAt([...every(0, 2000), ...every(7000, 11_000)])).toEqual([]);
  expect(lostAt([...every(0, 2000), ...every(2500, 11_000, 2500), ...every(11_500, 15_000)])).toEqual([]);
});

test('all shards are lost after an interruption of 10 s', () => {
  expect(lostAt(every(0, 12_000, 1000))).toEqual([11_000, 11_500, 12_000]);
});
