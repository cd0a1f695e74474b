import { performance, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { between, instant } from '../../base/time.ts';
import {
  type GeneratorHealth,
  type GeneratorSample,
  GeneratorSamples,
} from '../../result/sections/generator-health.ts';
import { BusyShares, type Usage } from './busy-shares.ts';
import { LoopDelays, loopPeriodMs } from './loop-delays.ts';
import { shortestIntervalMs, startOf } from '../../record/interval-width.ts';

/** Connections that this process could not open because it lacked something; counted by senders. */
type Exhausted = Pick<GeneratorHealth, 'descriptorsExhausted' | 'portsExhausted'>;

const sampleMs = 500;

/** A reading of one kind. */
interface Watch<Reading> {
  read(): Reading;
  stop(): void;
}

/** Load on this process; read delays are measured by a probe. */
type WatchedHealth = Omit<GeneratorHealth, `readDelay${string}`>;

/** Watches this process while it generates load. `end` ends the watch with a last reading. */
export function watchGenerator(): Record<'soFar' | 'end', (exhausted: Exhausted) => WatchedHealth> {
  const [loop, pauses, samples] = [watchLoop(), watchPauses(), watchSamples()];
  const startedAt = instant(performance.now());
  const soFar = (exhausted: Exhausted): WatchedHealth => {
    const { totalMs, maxMs } = pauses.read();
    return {
      ...samples.read(),
      ...loop.read(),
      gcPauseTotalMs: totalMs,
      gcPauseMaxMs: maxMs,
      gcPauseShare: totalMs / Math.max(1, between(startedAt, instant(performance.now()))),
      ...exhausted,
    };
  };
  const end = (exhausted: Exhausted): WatchedHealth => {
    loop.stop();
    samples.stop();
    const health = soFar(exhausted);
    pauses.stop();
    return health;
  };
  return { soFar, end };
}

function watchLoop(): Watch<ReturnType<LoopDelays['figures']>> & Record<'sign' | 'restart', () => void> {
  const delays = new LoopDelays(instant(performance.now()));
  const sign = (): void => delays.sign(instant(performance.now()));
  const timer = setInterval(sign, loopPeriodMs);
  const stop = (): void => {
    clearInterval(timer);
    sign();
  };
  const restart = (): void => delays.restart();
  return { read: () => delays.figures(), sign, restart, stop };
}

function watchPauses(): Watch<{ totalMs: number; maxMs: number }> {
  const seen = { totalMs: 0, maxMs: 0 };
  const add = (entries: readonly { duration: number }[]): void => {
    for (const { duration } of entries) {
      seen.totalMs += duration;
      seen.maxMs = Math.max(seen.maxMs, duration);
    }
  };
  const observer = new PerformanceObserver((list) => add(list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  const read = (): typeof seen => {
    add(observer.takeRecords());
    return seen;
  };
  return { read, stop: () => observer.disconnect() };
}

/** Samples the processor, memory and both clocks twice a second. */
function watchSamples(): Watch<
  ReturnType<BusyShares['end']> & Pick<GeneratorHealth, 'rssMaxBytes' | 'heapMaxBytes' | 'clockJumpMs'>
> {
  const offset = (): number => Date.now() - performance.now();
  let lastOffset = offset();
  const seen = { rssMaxBytes: 0, heapMaxBytes: 0, clockJumpMs: 0 };
  const shares = new BusyShares(usageNow());
  const sample = (): void => {
    seen.rssMaxBytes = Math.max(seen.rssMaxBytes, residentBytes());
    seen.heapMaxBytes = Math.max(seen.heapMaxBytes, getHeapStatistics().used_heap_size);
    seen.clockJumpMs = Math.max(seen.clockJumpMs, Math.abs(offset() - lastOffset));
    lastOffset = offset();
  };
  const timer = setInterval(() => {
    sample();
    shares.add(usageNow());
  }, sampleMs);
  const read = () => {
    sample();
    return { ...shares.end(usageNow()), ...seen };
  };
  return { read, stop: () => clearInterval(timer) };
}

function usageNow(): Usage {
  return {
    at: instant(performance.now()),
    cpuMs: cpuMs(),
    loopBusyMs: performance.eventLoopUtilization().active,
  };
}

interface IntervalWatch {
  /** Returns the samples since the previous call. */
  fresh(): GeneratorSample[];
  /** Ends the watch with a last sample, and returns all of them by their start. */
  end(): GeneratorSample[];
}

/** Samples this process once a second while it generates load, in bounded memory; starts count from this call. */
export function watchIntervals(): IntervalWatch {
  const samples = new GeneratorSamples();
  const fresh: GeneratorSample[] = [];
  const delays = watchLoop();
  const startedAt = performance.now();
  let before = { elapsedMs: 0, usedMs: cpuMs() };
  const take = (): void => {
    const now = { elapsedMs: performance.now() - startedAt, usedMs: cpuMs() };
    const lengthMs = now.elapsedMs - before.elapsedMs;
    delays.sign();
    const sample: GeneratorSample = {
      // Uses the middle of the sample, so that a slightly early or late timer does not move it to the neighbouring
      // second.
      startMs: startOf(before.elapsedMs + lengthMs / 2, shortestIntervalMs),
      lengthMs,
      rssBytes: residentBytes(),
      heapBytes: getHeapStatistics().used_heap_size,
      eventLoopDelayP99Ms: delays.read().eventLoopDelayP99Ms,
      cpuShare: (now.usedMs - before.usedMs) / Math.max(lengthMs, 1),
    };
    delays.restart();
    samples.add(sample);
    fresh.push(sample);
    before = now;
  };
  const timer = setInterval(take, shortestIntervalMs);
  return {
    fresh: () => fresh.splice(0),
    end: () => {
      clearInterval(timer);
      take();
      delays.stop();
      return samples.all();
    },
  };
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Returns the memory of this process, in bytes; 0 while it has no file descriptor left, because the system reports it through a file. */
function residentBytes(): number {
  try {
    return process.memoryUsage.rss();
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && ['EMFILE', 'ENFILE'].includes(String(thrown.code))) return 0;
    throw thrown;
  }
}
