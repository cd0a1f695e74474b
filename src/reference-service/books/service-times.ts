import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  initWebAssemblySync,
  type Histogram,
} from 'hdr-histogram-js';
import type { Ms } from '../../base/time.ts';

const percentiles = { p50Ms: 50, p75Ms: 75, p90Ms: 90, p95Ms: 95, p99Ms: 99, p999Ms: 99.9, p9999Ms: 99.99 } as const;

/** Every time is `null` without values. */
export type ServiceTimeFigures = { count: number } & Record<
  'minMs' | 'meanMs' | 'maxMs' | keyof typeof percentiles,
  number | null
>;

/** The times as sent from one process to another; an encoded histogram contains its extremes only as buckets. */
export interface ServiceTimesSnapshot {
  hdr: string;
  minUs: number;
  maxUs: number;
}

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
    this.#widen(us, us);
  }

  /** Adds the times of another process. */
  add({ hdr, minUs, maxUs }: ServiceTimesSnapshot): void {
    const others = decodeFromCompressedBase64(hdr, 32, true);
    this.#histogram.add(others);
    others.destroy();
    this.#widen(minUs, maxUs);
  }

  snapshot(): ServiceTimesSnapshot {
    return { hdr: encodeIntoCompressedBase64(this.#histogram), minUs: this.#minUs, maxUs: this.#maxUs };
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

  #widen(minUs: number, maxUs: number): void {
    if (minUs < this.#minUs) this.#minUs = minUs;
    if (maxUs > this.#maxUs) this.#maxUs = maxUs;
  }
}

/** Reads recorded times in the form that is needed: figures to show, or a snapshot to merge. */
export type ReadTimes<Times> = (times: ServiceTimes) => Times;

/** Returns the figures of several processes together. */
export function mergeTimes(parts: readonly ServiceTimesSnapshot[]): ServiceTimeFigures {
  const times = new ServiceTimes();
  for (const part of parts) times.add(part);
  const figures = times.figures();
  times.destroy();
  return figures;
}
