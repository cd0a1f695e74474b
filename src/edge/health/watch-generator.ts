import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import type { GeneratorHealth } from '../../result/generator-health.ts';

/** What this process could not open for want of something of its own; counted by whoever opens connections. */
export type Exhausted = Pick<GeneratorHealth, 'descriptorsExhausted' | 'portsExhausted'>;

/** The event loop is sampled this often; the period itself is no delay. */
const loopPeriodMs = 10;
const sampleMs = 1000;

/** Watches this process while it generates load; the returned function ends that and gives what was seen. */
export function watchGenerator(): (exhausted: Exhausted) => GeneratorHealth {
  const loop = monitorEventLoopDelay({ resolution: loopPeriodMs });
  const pauses = watchPauses();
  const samples = watchSamples();
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  loop.enable();
  return (exhausted) => {
    loop.disable();
    const { user, system } = process.cpuUsage(cpu);
    const delayMs = (nanoseconds: number): number =>
      loop.count === 0 ? 0 : Math.max(0, nanoseconds / 1e6 - loopPeriodMs);
    return {
      cpuShare: (user + system) / 1000 / (performance.now() - startedAt),
      eventLoopDelayP50Ms: delayMs(loop.percentile(50)),
      eventLoopDelayP99Ms: delayMs(loop.percentile(99)),
      eventLoopDelayMaxMs: delayMs(loop.max),
      ...pauses(),
      ...samples(),
      ...exhausted,
    };
  };
}

function watchPauses(): () => Pick<GeneratorHealth, 'gcPauseTotalMs' | 'gcPauseMaxMs'> {
  let gcPauseTotalMs = 0;
  let gcPauseMaxMs = 0;
  const add = (entries: readonly { duration: number }[]): void => {
    for (const { duration } of entries) {
      gcPauseTotalMs += duration;
      gcPauseMaxMs = Math.max(gcPauseMaxMs, duration);
    }
  };
  const observer = new PerformanceObserver((list) => add(list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  return () => {
    add(observer.takeRecords());
    observer.disconnect();
    return { gcPauseTotalMs, gcPauseMaxMs };
  };
}

/** Looks at memory and at both clocks once a second. */
function watchSamples(): () => Pick<GeneratorHealth, 'rssMaxBytes' | 'heapMaxBytes' | 'clockJumpMs'> {
  const offset = (): number => Date.now() - performance.now();
  let lastOffset = offset();
  const seen = { rssMaxBytes: 0, heapMaxBytes: 0, clockJumpMs: 0 };
  const sample = (): void => {
    const { rss, heapUsed } = process.memoryUsage();
    seen.rssMaxBytes = Math.max(seen.rssMaxBytes, rss);
    seen.heapMaxBytes = Math.max(seen.heapMaxBytes, heapUsed);
    seen.clockJumpMs = Math.max(seen.clockJumpMs, Math.abs(offset() - lastOffset));
    lastOffset = offset();
  };
  const timer = setInterval(sample, sampleMs);
  return () => {
    clearInterval(timer);
    sample();
    return seen;
  };
}
