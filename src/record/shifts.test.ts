import { expect, test } from 'vitest';
import { ms } from '../base/time.ts';
import { HistogramPool } from './dense-histogram.ts';
import { readShifts, storeShifts, withoutWaits } from './shifts.ts';
import { readSparse, UnreadableHistogram } from './sparse-histogram.ts';
import { LiveSeries, mergeSeries, type StoredSeries } from './stored-series.ts';

const pool = new HistogramPool();

function storedOf(values: readonly [valueMs: number, waitedMs?: number][]): StoredSeries | undefined {
  const series = new LiveSeries(pool);
  for (const [valueMs, waitedMs] of values) series.record(ms(valueMs), waitedMs);
  const stored = series.store();
  series.release();
  return stored;
}

const bare = (stored: StoredSeries | undefined) =>
  stored === undefined ? undefined : withoutWaits(readSparse(stored.hdr), stored.shifts);
const values = (stored: StoredSeries | undefined) => (stored === undefined ? undefined : readSparse(stored.hdr));

test('values are recorded as they are, and less what they waited, never below zero', () => {
  const stored = storedOf([[100], [300, 200], [150, 400], [100]]);
  expect(values(stored)).toEqual(values(storedOf([[100], [300], [150], [100]])));
  expect(bare(stored)).toEqual(values(storedOf([[100], [100], [0], [100]])));
});

test('a series without waits stores none, and a reused one has those of its last use alone', () => {
  expect(storedOf([[100, 0], [200]])).not.toHaveProperty('shifts');
  const series = new LiveSeries(pool);
  series.record(ms(5), 3);
  series.release();
  series.record(ms(5));
  expect(series.store()).not.toHaveProperty('shifts');
});

test('parts are merged exactly: stored, absorbed and absorbed while stored', () => {
  const parts = [[[100, 40], [7]], [[60, 60], [100]], [[8]]] as [number, number?][][];
  const whole = storedOf(parts.flat());
  expect(mergeSeries(parts.map(storedOf))).toEqual(whole);
  const sum = new LiveSeries(pool);
  const other = new LiveSeries(pool);
  other.record(ms(100), 40);
  other.record(ms(7));
  sum.absorb(other);
  for (const part of parts.slice(1).map(storedOf)) if (part !== undefined) sum.absorbStored(part, readSparse(part.hdr));
  expect(sum.store()).toEqual(whole);
});

test('shifts of more values than there are remove no others', () => {
  const [few, many] = [
    storedOf([[100]]),
    storedOf([
      [100, 50],
      [100, 50],
    ]),
  ];
  expect(bare({ ...few, shifts: many?.shifts } as StoredSeries)?.total).toBe(2);
});

test('stored shifts are read as written, and anything else is refused', () => {
  const text = storedOf([[100, 40], [7], [3000, -5]])?.shifts ?? '';
  expect(storeShifts(readShifts(text))).toBe(text);
  expect(readShifts('')).toMatchObject({ total: 0 });
  for (const bad of [
    'x',
    '1',
    '1:',
    '1:2 0:3',
    '1:2  3:4',
    '23552:1',
    '-1:2',
    '1:1e3',
    `1:${'9'.repeat(40)}`,
    '0:1 23551:1 1:1',
  ])
    expect(() => readShifts(bad), bad).toThrow(UnreadableHistogram);
});
