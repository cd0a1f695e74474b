import { setFlagsFromString } from 'node:v8';

/** By how much the old half of the heap may grow before it is collected again. */
const growthPercent = 25;

/**
 * Has V8 collect old objects sooner than it would by itself. What a turn leaves behind while it waits for a slow reply
 * counts as old by the time the reply comes; on a machine with memory to spare V8 lets that pile up to several times
 * what is in use, and then takes it away in one long pause. Measured with 10,000 turns in flight: a third less memory,
 * and a longest pause of 30 ms rather than 110.
 */
export function keepHeapSmall(): void {
  return setFlagsFromString(`--heap-growing-percent=${String(growthPercent)}`);
}
