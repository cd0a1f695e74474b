import { mostIntervals, shortestIntervalMs, startOf } from '../../record/interval-width.ts';
import { joinSamples, sampleIntervals, type GeneratorSample } from './generator-interval.ts';

/** Twice as many as a result has intervals, so that a sample is never longer than one of them. */
const mostSamples = 2 * mostIntervals;

/** Samples of a run of any length: when there are too many, neighbours are joined two by two. */
export class GeneratorSamples {
  #width = shortestIntervalMs;
  #byStart = new Map<number, GeneratorSample>();

  add(sample: GeneratorSample): void {
    while (sample.startMs >= this.#width * mostSamples) {
      this.#width *= 2;
      this.#byStart = sampleIntervals(this.all(), this.#width);
    }
    const startMs = startOf(sample.startMs, this.#width);
    const there = this.#byStart.get(startMs);
    this.#byStart.set(startMs, there === undefined ? { ...sample, startMs } : joinSamples(there, sample));
  }

  /** By their start. */
  all(): GeneratorSample[] {
    return [...this.#byStart.values()];
  }
}
