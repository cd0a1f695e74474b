import { randomLogNormal } from 'd3-random';
import { randomOf } from '../../src/base/random.ts';
import { seriesParts } from '../../src/record/series.ts';
import type { Interval } from '../../src/result/sections/intervals.ts';
import type { Result } from '../../src/result/result.ts';
import { encodeValues } from './encode-values.ts';
import { finishedRun, resultOf } from './synthetic-result.ts';

/** The result of a night of as many intervals as there can be, or of others, in which every series has values throughout. */
export function nightResult(intervals = 600, lengthMs = 64_000): Result {
  const result = resultOf(finishedRun({ sessions: 60, retry: { hasty: { base: '1ms' }, patient: { base: '1s' } } }));
  const [like] = result.intervals.filter(({ turns }) => turns.failed > 0);
  if (like === undefined) throw new Error('there is no interval to repeat');
  const drawn = drawSeries();
  const made = Array.from({ length: intervals }, (_, at): Interval => {
    const latency = seriesParts.map((part, index) => [part, drawn[(at * seriesParts.length + index) % drawn.length]]);
    const generator = {
      rssBytes: 123_456_789 + at,
      heapBytes: 45_678_901 + at,
      eventLoopDelayP99Ms: 1.2345 + at / 1000,
      cpuShare: 0.12345,
    };
    return { ...like, startMs: at * lengthMs, lengthMs, generator, latency: Object.fromEntries(latency) };
  });
  return { ...result, run: { ...result.run, durationMs: intervals * lengthMs }, intervals: made };
}

/** Some dozens of different draws of a thousand values, so that consecutive intervals differ. */
function drawSeries(): ReturnType<typeof storedOf>[] {
  const value = randomLogNormal.source(randomOf(40))(Math.log(200_000), 0.6);
  return Array.from({ length: 89 }, () => storedOf(Array.from({ length: 1000 }, () => Math.round(value()))));
}

const storedOf = (values: readonly number[]) => ({
  count: values.length,
  sumMs: values.reduce((sum, us) => sum + us, 0) / 1000,
  minMs: values.reduce((min, us) => Math.min(min, us), Infinity) / 1000,
  maxMs: values.reduce((max, us) => Math.max(max, us), 0) / 1000,
  hdr: encodeValues(values),
});
