import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  initWebAssemblySync,
  type Histogram,
} from 'hdr-histogram-js';
import type { Ms } from '../../base/time.ts';

/** All `null` while there is none. */
export interface ServiceTimeFigures {
  count: number;
  minMs: number | null;
  meanMs: number | null;
  maxMs: number | null;
  p50Ms: number | null;
  p75Ms: number | null;
  p90Ms: number | null;
  p95Ms: number | null;
  p99Ms: number | null;
  p999Ms: number | null;
  p9999Ms: number | null;
}

/** The times as they go from one process to another; an encoded histogram knows its extremes by their buckets only. */
export interface ServiceTimesSnapshot {
  hdr: string;
  minUs: number;
  maxUs: number;
}

const maxTrackableUs = 3_600_000_000;

/** The histogram's code, at once: of two books made meanwhile each would have its own, and one of them the wrong one. */
initWebAssemblySync();

/** How long exchanges took, in microseconds from 1 to 1 h. */
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

  /** Adds those of another process. */
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
    // The end of its bucket may be beyond the greatest value.
    const at = (percent: number): number | null =>
      milliseconds(Math.min(this.#histogram.getValueAtPercentile(percent), this.#maxUs));
    return {
      count,
      minMs: milliseconds(this.#minUs),
      meanMs: milliseconds(mean),
      maxMs: milliseconds(this.#maxUs),
      p50Ms: at(50),
      p75Ms: at(75),
      p90Ms: at(90),
      p95Ms: at(95),
      p99Ms: at(99),
      p999Ms: at(99.9),
      p9999Ms: at(99.99),
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
