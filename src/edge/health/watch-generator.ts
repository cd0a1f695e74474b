import { performance, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { between, instant } from '../../base/time.ts';
import type { GeneratorHealth } from '../../result/sections/generator-health.ts';
import { BusyShares, type Usage } from './busy-shares.ts';
import { LoopDelays, loopPeriodMs } from './loop-delays.ts';
import { residentBytes } from './resident-bytes.ts';

/** What this process could not open because it lacked something; counted where connections are opened. */
type Exhausted = Pick<GeneratorHealth, 'descriptorsExhausted' | 'portsExhausted'>;

const sampleMs = 500;

/** The load on this process since the watch began. */
interface GeneratorWatch {
  soFar(exhausted: Exhausted): GeneratorHealth;
  /** Ends the watch with a last reading. */
  end(exhausted: Exhausted): GeneratorHealth;
}

/** One of the things that are watched. */
interface Watch<Seen> {
  read(): Seen;
  stop(): void;
}

/** Watches this process while it generates load. */
export function watchGenerator(): GeneratorWatch {
  const [loop, pauses, samples] = [watchLoop(), watchPauses(), watchSamples()];
  const startedAt = instant(performance.now());
  const soFar = (exhausted: Exhausted): GeneratorHealth => {
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
  const end = (exhausted: Exhausted): GeneratorHealth => {
    loop.stop();
    samples.stop();
    const seen = soFar(exhausted);
    pauses.stop();
    return seen;
  };
  return { soFar, end };
}

function watchLoop(): Watch<ReturnType<LoopDelays['figures']>> {
  const delays = new LoopDelays(instant(performance.now()));
  const sign = (): void => delays.sign(instant(performance.now()));
  const timer = setInterval(sign, loopPeriodMs);
  const stop = (): void => {
    clearInterval(timer);
    sign();
  };
  return { read: () => delays.figures(), stop };
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

/** Looks at the processor, at memory and at both clocks twice a second. */
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
  const { user, system } = process.cpuUsage();
  return {
    at: instant(performance.now()),
    cpuMs: (user + system) / 1000,
    loopBusyMs: performance.eventLoopUtilization().active,
  };
}
