import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A reading of what the heap holds after a collection: only that says anything of what is kept. In bytes. */
export function heldMemory(): () => number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  return () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
}
