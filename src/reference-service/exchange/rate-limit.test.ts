import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { instant, ms } from '../../base/time.ts';
import { retryAfterOf, TokenBucket } from './rate-limit.ts';

describe('a token bucket', () => {
  test('lets a burst pass at once, then as many as its rate', () => {
    const bucket = new TokenBucket({ perSecond: 10, burst: 3 }, instant(0));
    expect([0, 0, 0, 0, 50, 100, 150, 200].map((at) => bucket.take(instant(at)))).toEqual([0, 0, 0, 100, 50, 0, 50, 0]);
  });

  test('saves up no more than its burst', () => {
    const bucket = new TokenBucket({ perSecond: 1, burst: 2 }, instant(0));
    expect([0, 0, 3_600_000, 3_600_000, 3_600_000].map((at) => bucket.take(instant(at)))).toEqual([0, 0, 0, 0, 1000]);
  });

  test('never allows more than burst and rate, and has a token after the announced wait', () => {
    const rates = fc.record({
      perSecond: fc.double({ min: 0.1, max: 1000, noNaN: true }),
      burst: fc.integer({ min: 1, max: 20 }),
    });
    const gaps = fc.array(fc.double({ min: 0, max: 2000, noNaN: true }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(rates, gaps, (rate, waits) => {
        const bucket = new TokenBucket(rate, instant(0));
        let now = 0;
        let passed = 0;
        for (const gap of waits) {
          now += gap;
          if (bucket.take(instant(now)) === 0) passed++;
          expect(passed).toBeLessThanOrEqual(rate.burst + (now / 1000) * rate.perSecond + 1e-6);
        }
        const wait = bucket.take(instant(now));
        if (wait > 0) expect(bucket.take(instant(now + wait + 1e-6))).toBeLessThan(1e-3);
      }),
    );
  });

  test('announces whole seconds, rounded up', () => {
    expect([1, 1000, 1001].map((wait) => retryAfterOf(ms(wait)))).toEqual(['1', '1', '2']);
  });
});
