/**
 * Returns the factor by which the processor time of work grows if its size grows eightfold: about 8 if it takes linear
 * time, about 64 if it takes quadratic time. It depends neither on the speed of the machine nor on its other processes.
 */
export function growthOf(work: (size: number) => void, size: number): number {
  return cpuUsOf(work, 8 * size) / cpuUsOf(work, size);
}

/** Returns the minimum of several measurements, because collected garbage adds to some of them. */
function cpuUsOf(work: (size: number) => void, size: number): number {
  const times = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    work(size);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.min(...times);
}
