import type { Result } from '../../src/result/result.ts';

/**
 * Reports whether a run would have been degraded by the rules that figures with their own errors replaced: an event-loop delay
 * (p99) of more than 50 ms, or of more than a fifth of the mean gap (2 to 10 ms), a loop or a core that was busy for 90 % of two
 * seconds, or pauses for garbage collection of 100 ms or 5 % of the time; or for another reason of today.
 */
export function wasDegraded({ generator, latency, validity }: Result): boolean {
  const others = validity.reasons.filter(({ code }) => !/^(figures_doubtful|event_loop_)/.test(code));
  if (others.length > 0 || generator === null) return true;
  const { eventLoopDelayP99Ms: delayMs, cpuShareMax, eventLoopBusyMax, gcPauseMaxMs, gcPauseShare } = generator;
  const gapMs = latency.gap.meanMs ?? 0;
  const allowedMs = gapMs >= 0.5 ? Math.min(10, Math.max(2, 0.2 * gapMs)) : 50;
  return (
    delayMs > allowedMs || Math.max(cpuShareMax, eventLoopBusyMax) >= 0.9 || gcPauseMaxMs > 100 || gcPauseShare > 0.05
  );
}
