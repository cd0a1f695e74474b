/** Meters the processor time of this process, all of its threads: the share of one core, and in microseconds. */
export function cpuMeter(): () => { share: number; us: number; elapsedMs: number } {
  const before = process.cpuUsage();
  const startedAt = performance.now();
  return () => {
    const { user, system } = process.cpuUsage(before);
    const elapsedMs = performance.now() - startedAt;
    return { share: (user + system) / 1000 / elapsedMs, us: user + system, elapsedMs };
  };
}
