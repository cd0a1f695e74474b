import { readdirSync, readFileSync } from 'node:fs';

/** What a process and all that it started have taken so far. */
export interface Usage {
  /** User and system time. */
  cpuMs: number;
  /** The sum of the most that each of the living held resident. */
  peakBytes: number;
}

/** Clock ticks of /proc are hundredths of a second on every Linux that Node runs on. */
const tickMs = 10;

/**
 * Reads what a process and its descendants have used, from /proc: those that have ended and were waited for are in
 * the figures of their parents. `undefined` once the process is gone.
 */
export function usageOf(pid: number): Usage | undefined {
  try {
    const own = { cpuMs: readCpuMs(pid), peakBytes: readPeakBytes(pid) };
    return childrenOf(pid).reduce((sum, child) => {
      const used = usageOf(child) ?? { cpuMs: 0, peakBytes: 0 };
      return { cpuMs: sum.cpuMs + used.cpuMs, peakBytes: sum.peakBytes + used.peakBytes };
    }, own);
  } catch {
    // It ended between two looks: that is what the caller asks for.
    return undefined;
  }
}

/** The same of a process alone; `undefined` once it is gone. */
export function ownUsageOf(pid: number): Usage | undefined {
  try {
    return { cpuMs: readCpuMs(pid, ownFields), peakBytes: readPeakBytes(pid) };
  } catch {
    // It ended between two looks: the last one counts.
    return undefined;
  }
}

/** Fields 14 to 17 of /proc/PID/stat: utime, stime, and those of children waited for. See proc(5). */
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

/** The processes that a process has started and that have not ended. */
export function childrenOf(pid: number): number[] {
  const tasks = `/proc/${String(pid)}/task`;
  return readdirSync(tasks).flatMap((task) =>
    readFileSync(`${tasks}/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
}
