import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Low enough that the load never waits for its display. */
const niceness = 10;

/** Sets the calling thread to the lowest priority of this process, on systems with priorities per thread: Linux. */
export function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    setPriority(thread, niceness);
  } catch {
    // Without /proc, or without permission, the thread keeps its priority.
  }
}
