import { readdirSync, readFileSync } from 'node:fs';

/** Resources used by a process and its descendants. */
export interface Usage {
  /** User and system time. */
  cpuMs: number;
  /** Sum of the peak resident memory of all living processes. */
  peakBytes: number;
}

/** Clock ticks of /proc are hundredths of a second on every Linux that Node runs on. */
const tickMs = 10;

/**
 * Reads the resources used by a process and its descendants from /proc; the figures of a process include its descendants
 * that ended and were waited for. Returns undefined if the process has ended.
 */
export function usageOf(pid: number): Usage | undefined {
  try {
    const own = { cpuMs: readCpuMs(pid), peakBytes: readPeakBytes(pid) };
    return childrenOf(pid).reduce((sum, child) => {
      const used = usageOf(child) ?? { cpuMs: 0, peakBytes: 0 };
      return { cpuMs: sum.cpuMs + used.cpuMs, peakBytes: sum.peakBytes + used.peakBytes };
    }, own);
  } catch {
    // The process ended, as the caller asked.
    return undefined;
  }
}

/** Reads the usage of a process without its children; undefined if it has ended. */
export function ownUsageOf(pid: number): Usage | undefined {
  try {
    return { cpuMs: readCpuMs(pid, ownFields), peakBytes: readPeakBytes(pid) };
  } catch {
    // The process ended; the previous sample counts.
    return undefined;
  }
}

/** Fields 14 to 17 of /proc/PID/stat: utime, stime, and the same for children waited for. See proc(5). */
const [ownFields, allFields] = [2, 4];

function readCpuMs(pid: number, fieldsRead = allFields): number {
  const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 11 + fieldsRead).reduce((sum, ticks) => sum + Number(ticks), 0) * tickMs;
}

function readPeakBytes(pid: number): number {
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

/** Returns the living children of a process. */
export function childrenOf(pid: number): number[] {
  const tasks = `/proc/${String(pid)}/task`;
  return readdirSync(tasks).flatMap((task) =>
    readFileSync(`${tasks}/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
}
