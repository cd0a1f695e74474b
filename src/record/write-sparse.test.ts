import fc from 'fast-check';
import { build } from 'hdr-histogram-js';
import { expect, test } from 'vitest';
import { decodeHistogram, encodeHistogram, layout, maxTrackableUs, writeSparse } from './histogram.ts';
import { readSparse } from './sparse-histogram.ts';

const value = fc.oneof(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 0, max: maxTrackableUs }));
const times = fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 2 ** 49 }), fc.constantFrom(63, 64, 8191, 8192));

test("a sparsely written histogram equals the library's, byte for byte", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(value, times), { maxLength: 100 }), (values) => {
      const histogram = build(layout);
      for (const [at, count] of values) histogram.recordValueWithCount(at, count);
      const hdr = encodeHistogram(histogram);
      expect(writeSparse(readSparse(hdr))).toBe(hdr);
    }),
    { numRuns: 200, seed: 3 },
  );
});

test('a histogram with a count of more than four bytes can be read back by the library', () => {
  const histogram = build(layout);
  histogram.recordValueWithCount(5, 2 ** 40);
  expect(decodeHistogram(writeSparse(readSparse(encodeHistogram(histogram)))).totalCount).toBe(2 ** 40);
});
