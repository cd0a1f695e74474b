import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { build, type Histogram } from 'hdr-histogram-js';
import { describe, expect, test } from 'vitest';
import { encodeHistogram, layout, maxTrackableUs } from './histogram.ts';
import { bucketCount, lowestOf, readSparse } from './sparse-histogram.ts';

const value = fc.oneof(
  fc.integer({ min: 0, max: 5000 }),
  fc.integer({ min: 0, max: maxTrackableUs }),
  fc.double({ min: 0, max: Math.log(maxTrackableUs), noNaN: true }).map((power) => Math.floor(Math.exp(power))),
);
const recorded = fc.array(fc.tuple(value, fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 2 ** 40 }))), {
  maxLength: 200,
});

function histogramOf(values: readonly (readonly [number, number])[]): Histogram {
  const histogram = build(layout);
  for (const [at, count] of values) histogram.recordValueWithCount(at, count);
  return histogram;
}

/** Filled buckets by the library: lowest value and count. */
function filledOf(histogram: Histogram): [number, number][] {
  const iterated = histogram as Histogram & {
    countsArrayIndex(value: number): number;
    getCountAtIndex(index: number): number;
    valueFromIndex(index: number): number;
    countsArrayLength: number;
  };
  return Array.from({ length: iterated.countsArrayLength }, (_, index): [number, number] => [
    iterated.valueFromIndex(index),
    iterated.getCountAtIndex(index),
  ]).filter(([, count]) => count > 0);
}

describe('a histogram read sparsely', () => {
  test('contains the buckets and counts that the library reads', () => {
    fc.assert(
      fc.property(recorded, (values) => {
        const histogram = histogramOf(values);
        const { indexes, counts, total } = readSparse(encodeHistogram(histogram));
        const read = [...indexes].map((index, place) => [lowestOf(index), counts[place]]);
        expect(read).toEqual(filledOf(histogram));
        expect(total).toBe(histogram.totalCount);
      }),
      { numRuns: 60 },
    );
  });

  test('has rising, non-empty buckets inside the layout', () => {
    const { indexes, counts } = readSparse(
      encodeHistogram(
        histogramOf([
          [0, 1],
          [maxTrackableUs, 2],
          [777, 3],
        ]),
      ),
    );
    expect([...indexes]).toEqual([...indexes].toSorted((a, b) => a - b));
    expect([...counts]).toEqual([1, 3, 2]);
    expect(indexes.at(-1)).toBeLessThan(bucketCount);
  });

  test('has correct bounds of buckets if their width doubles', () => {
    expect([0, 1, 2047, 2048, 2049, 3071, 3072, 3073].map(lowestOf)).toEqual([
      0, 1, 2047, 2048, 2050, 4094, 4096, 4100,
    ]);
  });

  test.each([
    ['nothing', ''],
    ['another text', 'bm90IGEgaGlzdG9ncmFt'],
    ['one that was cut short', encodeHistogram(histogramOf([[5, 1]])).slice(0, 30)],
    ['a histogram of two digits', encodeHistogram(build({ ...layout, numberOfSignificantValueDigits: 2 }))],
    [
      'a head without a histogram',
      Buffer.concat([head(0x1c849314, 12), deflateSync(Buffer.alloc(4))]).toString('base64'),
    ],
  ])('refuses %s', (_, text) => {
    expect(() => readSparse(text)).toThrow('not an HDR V2 histogram');
  });
});

function head(cookie: number, length: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeInt32BE(cookie, 0);
  bytes.writeInt32BE(length, 4);
  return bytes;
}
