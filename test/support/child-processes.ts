import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { until } from './reference-client.ts';

/** The processes that a process has started (Linux). */
export async function childrenOf(pid: number): Promise<number[]> {
  const list = await readFile(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8');
  return list.split(' ').filter(Boolean).map(Number);
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Reports whether a process is running (Linux): one that has ended stays in the list until its parent has reaped it. */
export function isThere(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${String(pid)}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Waits until none of them is alive; the test's own time limit bounds it. */
export function untilGone(pids: readonly number[]): Promise<void> {
  return until(() => !pids.some(isAlive));
}
