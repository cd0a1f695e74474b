import { build, initWebAssemblySync, type Histogram } from 'hdr-histogram-js';
import type { Ms } from '../../base/time.ts';
import { serviceClasses, type ServiceClass } from './service-class.ts';

/** What the service did with the exchanges of one operation. */
export interface OperationStats {
  /** Exchanges whose whole request was read: the sum of all classes and of those in progress. */
  received: number;
  inProgress: number;
  classes: Record<ServiceClass, number>;
  /** Replies held back by a fault; each is counted in its class too. */
  stalled: number;
  /** From the request read to the reply written; of every response that was given, whatever its class. */
  serviceTime: ServiceTime;
}

/** All `null` while there is none. */
interface ServiceTime {
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

const longestUs = 3_600_000_000;

/** The histogram's code, at once: of two books made meanwhile each would have its own, and one of them the wrong one. */
initWebAssemblySync();

/** Counts the exchanges of one operation. */
export class OperationBook {
  readonly #classes = Object.fromEntries(serviceClasses.map((name) => [name, 0])) as Record<ServiceClass, number>;
  // Microseconds, 1 to 1 h.
  readonly #serviceTime: Histogram = build({
    useWebAssembly: true,
    autoResize: false,
    highestTrackableValue: longestUs,
  });
  #received = 0;
  #ended = 0;
  #stalled = 0;

  begin(): void {
    this.#received++;
  }

  end(outcome: ServiceClass): void {
    this.#ended++;
    this.#classes[outcome]++;
  }

  stall(): void {
    this.#stalled++;
  }

  time(took: Ms): void {
    this.#serviceTime.recordValue(Math.min(longestUs, Math.max(1, Math.round(took * 1000))));
  }

  figures(): OperationStats {
    return {
      received: this.#received,
      inProgress: this.#received - this.#ended,
      classes: { ...this.#classes },
      stalled: this.#stalled,
      serviceTime: timeOf(this.#serviceTime),
    };
  }

  /** Frees memory outside the garbage-collected heap. */
  destroy(): void {
    this.#serviceTime.destroy();
  }
}

function timeOf(histogram: Histogram): ServiceTime {
  const { totalCount: count } = histogram;
  const milliseconds = (us: number): number | null => (count === 0 ? null : us / 1000);
  // The end of its bucket may be beyond the greatest value.
  const at = (percent: number): number | null =>
    milliseconds(Math.min(histogram.getValueAtPercentile(percent), histogram.maxValue));
  return {
    count,
    minMs: milliseconds(histogram.minNonZeroValue),
    meanMs: milliseconds(histogram.mean),
    maxMs: milliseconds(histogram.maxValue),
    p50Ms: at(50),
    p75Ms: at(75),
    p90Ms: at(90),
    p95Ms: at(95),
    p99Ms: at(99),
    p999Ms: at(99.9),
    p9999Ms: at(99.99),
  };
}
