import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { makeFolder } from '../../../../test/support/command.ts';
import { RecordSorter } from './record-sorter.ts';

const sorters: RecordSorter[] = [];
afterEach(() => sorters.splice(0).forEach((sorter) => sorter.dispose()));

/** Sorts by a first number; a second one is the original position. */
async function sorted(keys: readonly number[]) {
  const folder = await makeFolder();
  const sorter = new RecordSorter({
    recordBytes: 8,
    compare: (a, b) => a.buffer.readUInt32LE(a.at) - b.buffer.readUInt32LE(b.at),
    spillFile: (run) => join(folder, String(run)),
  });
  sorters.push(sorter);
  for (const [came, key] of keys.entries()) {
    const { buffer, at } = sorter.add();
    buffer.writeUInt32LE(key, at);
    buffer.writeUInt32LE(came, at + 4);
  }
  const drained = Array.from(sorter.drain(), ({ buffer, at }) => [
    buffer.readUInt32LE(at),
    buffer.readUInt32LE(at + 4),
  ]);
  return { drained, folder, sorter };
}

test.each([
  ['in memory', 1000, 0],
  ['over runs on disk', 150_000, 3],
])('sorts %s, and keeps the order of equal records', async (_, count, runs) => {
  const keys = Array.from({ length: count }, (__, at) => (at * 7919) % 97);
  const { drained, folder, sorter } = await sorted(keys);
  const expected = keys.map((key, came) => [key, came]).toSorted(([a = 0, x = 0], [b = 0, y = 0]) => a - b || x - y);
  expect(drained).toHaveLength(count);
  // Not as a whole: the difference of long lists takes minutes to print.
  expect(drained.findIndex((record, at) => String(record) !== String(expected[at]))).toBe(-1);
  expect(readdirSync(folder)).toHaveLength(runs);
  sorter.dispose();
  expect(readdirSync(folder)).toEqual([]);
});

test('sorts nothing', async () => {
  expect((await sorted([])).drained).toEqual([]);
});
