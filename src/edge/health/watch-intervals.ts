import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { instant } from '../../base/time.ts';
import { shortestIntervalMs, startOf } from '../../record/interval-width.ts';
import { type GeneratorSample, GeneratorSamples } from '../../result/sections/generator-health.ts';
import { LoopDelays, loopPeriodMs } from './loop-delays.ts';
import { residentBytes } from './resident-bytes.ts';

interface IntervalWatch {
  /** The samples that this has not given yet; to be called every other second. */
  fresh(): GeneratorSample[];
  /** Ends the watch with a last sample, and gives all of them by their start. */
  end(): GeneratorSample[];
}

/** Samples this process once a second while it generates load, in bounded memory; starts count from this call. */
export function watchIntervals(): IntervalWatch {
  const samples = new GeneratorSamples();
  let fresh: GeneratorSample[] = [];
  const delays = watchDelays();
  const startedAt = performance.now();
  let before = { elapsedMs: 0, usedMs: cpuMs() };
  const take = (): void => {
    const now = { elapsedMs: performance.now() - startedAt, usedMs: cpuMs() };
    const lengthMs = now.elapsedMs - before.elapsedMs;
    const sample: GeneratorSample = {
      // By its middle: a timer that is a little early or late must not move a second's sample to its neighbour.
      startMs: startOf(before.elapsedMs + lengthMs / 2, shortestIntervalMs),
      lengthMs,
      rssBytes: residentBytes(),
      heapBytes: getHeapStatistics().used_heap_size,
      eventLoopDelayP99Ms: delays.take(),
      cpuShare: (now.usedMs - before.usedMs) / Math.max(lengthMs, 1),
    };
    samples.add(sample);
    fresh.push(sample);
    before = now;
  };
  const timer = setInterval(take, shortestIntervalMs);
  return {
    fresh: () => {
      const given = fresh;
      fresh = [];
      return given;
    },
    end: () => {
      clearInterval(timer);
      take();
      delays.stop();
      return samples.all();
    },
  };
}

function watchDelays(): { take: () => number; stop: () => void } {
  const delays = new LoopDelays(instant(performance.now()));
  const sign = (): void => delays.sign(instant(performance.now()));
  const timer = setInterval(sign, loopPeriodMs);
  const take = (): number => {
    sign();
    const { eventLoopDelayP99Ms } = delays.figures();
    delays.restart();
    return eventLoopDelayP99Ms;
  };
  return { take, stop: () => clearInterval(timer) };
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
