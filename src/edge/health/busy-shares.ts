import { between, type Instant } from '../../base/time.ts';
import type { GeneratorHealth } from '../../result/sections/generator-health.ts';

/** What a process has used up so far. */
export interface Usage {
  at: Instant;
  /** Processor time, of all its threads. */
  cpuMs: number;
  /** Time that its event loop did not wait for something to do. */
  loopBusyMs: number;
}

/** The length of a peak: one second of compiling at the start is not one. */
const peakMs = 2000;

/** How busy a process was on the whole and at its busiest: the mean of a run hides a peak that overloaded it. */
export class BusyShares {
  readonly #first: Usage;
  /** Readings of the last `peakMs`, and the one before them. */
  readonly #recent: Usage[];
  #cpuShareMax = 0;
  #eventLoopBusyMax = 0;

  constructor(first: Usage) {
    this.#first = first;
    this.#recent = [first];
  }

  add(usage: Usage): void {
    const recent = this.#recent;
    recent.push(usage);
    while (recent[1] !== undefined && between(recent[1].at, usage.at) >= peakMs) recent.shift();
    const from = recent[0] ?? usage;
    if (between(from.at, usage.at) >= peakMs) this.#raise(from, usage);
  }

  /** The shares up to a reading; a run shorter than a peak is one itself. More may follow. */
  end(last: Usage): Pick<GeneratorHealth, 'cpuShare' | 'cpuShareMax' | 'eventLoopBusyMax'> {
    this.add(last);
    const cpuShare = shareOf('cpuMs', this.#first, last);
    if (between(this.#first.at, last.at) < peakMs)
      return { cpuShare, cpuShareMax: cpuShare, eventLoopBusyMax: shareOf('loopBusyMs', this.#first, last) };
    return { cpuShare, cpuShareMax: this.#cpuShareMax, eventLoopBusyMax: this.#eventLoopBusyMax };
  }

  #raise(from: Usage, to: Usage): void {
    this.#cpuShareMax = Math.max(this.#cpuShareMax, shareOf('cpuMs', from, to));
    this.#eventLoopBusyMax = Math.max(this.#eventLoopBusyMax, shareOf('loopBusyMs', from, to));
  }
}

const shareOf = (what: 'cpuMs' | 'loopBusyMs', from: Usage, to: Usage): number =>
  (to[what] - from[what]) / Math.max(1, between(from.at, to.at));
