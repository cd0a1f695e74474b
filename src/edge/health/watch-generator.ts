import { performance, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { between, instant } from '../../base/time.ts';
import type { GeneratorHealth } from '../../result/generator-health.ts';
import { BusyShares, type Usage } from './busy-shares.ts';
import { LoopDelays, loopPeriodMs } from './loop-delays.ts';

/** What this process could not open for want of something of its own; counted by whoever opens connections. */
export type Exhausted = Pick<GeneratorHealth, 'descriptorsExhausted' | 'portsExhausted'>;

const sampleMs = 500;

/** Watches this process while it generates load; the returned function ends that and gives what was seen. */
export function watchGenerator(): (exhausted: Exhausted) => GeneratorHealth {
  const loop = watchLoop();
  const pauses = watchPauses();
  const samples = watchSamples();
  const startedAt = instant(performance.now());
  return (exhausted) => {
    const { totalMs, maxMs } = pauses();
    return {
      ...samples(),
      ...loop(),
      gcPauseTotalMs: totalMs,
      gcPauseMaxMs: maxMs,
      gcPauseShare: totalMs / Math.max(1, between(startedAt, instant(performance.now()))),
      ...exhausted,
    };
  };
}

function watchLoop(): () => ReturnType<LoopDelays['figures']> {
  const delays = new LoopDelays(instant(performance.now()));
  const sign = (): void => delays.sign(instant(performance.now()));
  const timer = setInterval(sign, loopPeriodMs);
  return () => {
    clearInterval(timer);
    sign();
    return delays.figures();
  };
}

function watchPauses(): () => { totalMs: number; maxMs: number } {
  const seen = { totalMs: 0, maxMs: 0 };
  const add = (entries: readonly { duration: number }[]): void => {
    for (const { duration } of entries) {
      seen.totalMs += duration;
      seen.maxMs = Math.max(seen.maxMs, duration);
    }
  };
  const observer = new PerformanceObserver((list) => add(list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  return () => {
    add(observer.takeRecords());
    observer.disconnect();
    return seen;
  };
}

/** Looks at the processor, at memory and at both clocks twice a second. */
function watchSamples(): () => ReturnType<BusyShares['end']> &
  Pick<GeneratorHealth, 'rssMaxBytes' | 'heapMaxBytes' | 'clockJumpMs'> {
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
  return () => {
    clearInterval(timer);
    sample();
    return { ...shares.end(usageNow()), ...seen };
  };
}

/** 0 while the process has no file descriptor left: the system tells this through a file. */
function residentBytes(): number {
  try {
    return process.memoryUsage.rss();
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && ['EMFILE', 'ENFILE'].includes(String(thrown.code))) return 0;
    throw thrown;
  }
}

function usageNow(): Usage {
  const { user, system } = process.cpuUsage();
  return {
    at: instant(performance.now()),
    cpuMs: (user + system) / 1000,
    loopBusyMs: performance.eventLoopUtilization().active,
  };
}
