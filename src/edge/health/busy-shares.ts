import { between, type Instant } from '../../base/time.ts';
import type { GeneratorHealth } from '../../result/sections/generator-health.ts';

/** Resources that a process has used so far. */
export interface Usage {
  at: Instant;
  /** Processor time, of all its threads. */
  cpuMs: number;
  /** Time in which its event loop was not idle. */
  loopBusyMs: number;
}

/** Length of a peak, long enough that one second of compiling at the start does not count. */
const peakMs = 2000;

/** Load of a process, on average and at its peak: the mean of a run hides a peak that overloaded it. */
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

  /** Returns the shares up to a reading; a run shorter than a peak counts as one. More readings may follow. */
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

const shareOf = (field: 'cpuMs' | 'loopBusyMs', from: Usage, to: Usage): number =>
  (to[field] - from[field]) / Math.max(1, between(from.at, to.at));
