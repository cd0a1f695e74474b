import { build, initWebAssemblySync, type Histogram } from 'hdr-histogram-js';
import type { Ms } from '../../base/time.ts';

const percentiles = { p50Ms: 50, p75Ms: 75, p90Ms: 90, p95Ms: 95, p99Ms: 99, p999Ms: 99.9, p9999Ms: 99.99 } as const;

/** Every time is `null` without values. */
export type ServiceTimeFigures = { count: number } & Record<
  'minMs' | 'meanMs' | 'maxMs' | keyof typeof percentiles,
  number | null
>;

const maxTrackableUs = 3_600_000_000;

/** Loads the histogram's code synchronously: two histograms built meanwhile would each load their own, and one would use the wrong one. */
initWebAssemblySync();

/** Durations of exchanges, in microseconds from 1 to 1 h. */
export class ServiceTimes {
  readonly #histogram: Histogram = build({
    useWebAssembly: true,
    autoResize: false,
    highestTrackableValue: maxTrackableUs,
  });
  #minUs = maxTrackableUs;
  #maxUs = 0;

  record(took: Ms): void {
    const us = Math.min(maxTrackableUs, Math.max(1, Math.round(took * 1000)));
    this.#histogram.recordValue(us);
    if (us < this.#minUs) this.#minUs = us;
    if (us > this.#maxUs) this.#maxUs = us;
  }

  figures(): ServiceTimeFigures {
    const { totalCount: count, mean } = this.#histogram;
    const milliseconds = (us: number): number | null => (count === 0 ? null : us / 1000);
    // The end of a bucket may be beyond the maximum value.
    const at = (percent: number): number | null =>
      milliseconds(Math.min(this.#histogram.getValueAtPercentile(percent), this.#maxUs));
    const found = Object.entries(percentiles).map(([name, percent]) => [name, at(percent)] as const);
    return {
      count,
      minMs: milliseconds(this.#minUs),
      meanMs: milliseconds(mean),
      maxMs: milliseconds(this.#maxUs),
      ...(Object.fromEntries(found) as Record<keyof typeof percentiles, number | null>),
    };
  }

  /** Frees memory outside the garbage-collected heap. */
  destroy(): void {
    this.#histogram.destroy();
  }
}
