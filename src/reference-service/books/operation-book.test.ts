import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ms } from '../../base/time.ts';
import { OperationBook } from './operation-book.ts';

test('every percentile of the service time is between the minimum and the maximum', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0.001, max: 100_000, noNaN: true }), { minLength: 1, maxLength: 20 }),
      (times) => {
        const book = new OperationBook();
        for (const time of times) book.time(ms(time));
        const { minMs, p50Ms, p99Ms, p9999Ms, maxMs } = book.stats().serviceTime;
        book.destroy();
        const rising = [minMs, p50Ms, p99Ms, p9999Ms, maxMs].map(Number);
        expect(rising).toEqual(rising.toSorted((a, b) => a - b));
        expect(maxMs).toBe(Math.max(1, Math.round(Math.max(...times) * 1000)) / 1000);
      },
    ),
    { numRuns: 100 },
  );
});
