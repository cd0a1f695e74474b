import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Far enough behind the load, which must not wait for a picture of itself. */
const niceness = 10;

/** Lets everything else go before the thread that calls this, where the system can tell threads apart: on Linux. */
export function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    setPriority(thread, niceness);
  } catch {
    // Without /proc, or where it is not allowed, it is a thread like the others.
  }
}
