import { describe, expect, test } from 'vitest';
import type { OfShard } from '../../../fleet/shards.ts';
import { Outbox } from './outbox.ts';

const said = (lateMs: number): OfShard => ({ kind: 'started', lateMs });
const numbers = (outbox: Outbox): number[] => outbox.unsent().map(({ number }) => number);

function holding(count: number, max?: number): Outbox {
  const outbox = new Outbox(max);
  for (let each = 1; each <= count; each++) outbox.add(said(each));
  return outbox;
}

describe('the messages of a shard', () => {
  test('are sent once, in order', () => {
    const outbox = holding(3);
    expect(outbox.unsent()[1]).toEqual({ number: 2, said: '{"kind":"started","lateMs":2}' });
    outbox.markSent(3);
    outbox.add(said(4));
    expect(numbers(outbox)).toEqual([4]);
  });

  test('is kept until it was read, and sent again from there when the line was broken', () => {
    const outbox = holding(4);
    outbox.markSent(4);
    outbox.acknowledge(2);
    expect([numbers(outbox), outbox.isEmpty]).toEqual([[], false]);
    outbox.rewind();
    expect(numbers(outbox)).toEqual([3, 4]);
    outbox.acknowledge(4);
    expect([numbers(outbox), outbox.isEmpty]).toEqual([[], true]);
  });

  test('is sent again too when the line broke while it was on its way', () => {
    const outbox = holding(3);
    outbox.markSent(2);
    expect(numbers(outbox)).toEqual([3]);
    outbox.rewind();
    outbox.markSent(3);
    expect(numbers(outbox)).toEqual([1, 2, 3]);
  });

  test('is sent again when heartbeat after heartbeat acknowledges nothing of it', () => {
    const outbox = holding(2);
    outbox.markSent(2);
    outbox.acknowledge(1);
    outbox.acknowledge(1);
    outbox.acknowledge(1);
    expect(numbers(outbox)).toEqual([]);
    outbox.acknowledge(1);
    expect(numbers(outbox)).toEqual([2]);
  });

  test('are not sent again while acknowledgements arrive', () => {
    const outbox = holding(9);
    outbox.markSent(9);
    for (let read = 1; read <= 9; read++) outbox.acknowledge(read);
    expect([numbers(outbox), outbox.isEmpty]).toEqual([[], true]);
  });

  test('is not acknowledged by a number that was never sent', () => {
    const outbox = holding(2);
    outbox.acknowledge(7);
    expect(numbers(outbox)).toEqual([1, 2]);
  });

  test('has bounded memory: messages that do not fit are rejected, except its end', () => {
    const outbox = holding(2, 70);
    expect(outbox.add(said(3))).toBe(false);
    expect(outbox.add({ kind: 'failed', message: 'no room' })).toBe(true);
    expect(numbers(outbox)).toEqual([1, 2, 3]);
    outbox.acknowledge(2);
    expect(outbox.add(said(4))).toBe(true);
    expect(numbers(outbox)).toEqual([3, 4]);
  });

  test('is sent in parts of a bounded size, at least one message each', () => {
    const outbox = new Outbox();
    const long = 'x'.repeat(700_000);
    for (let each = 0; each < 3; each++) outbox.add({ kind: 'failed', message: long + long.slice(0, each * 600_000) });
    expect(numbers(outbox)).toEqual([1]);
    outbox.markSent(1);
    expect(numbers(outbox)).toEqual([2]);
  });
});
