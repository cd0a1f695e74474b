import { randomFillSync } from 'node:crypto';
import type { Trace } from '../../../session/session-head.ts';

const idBytes = 16;
const bytesOfOne = idBytes + 8;
/** Number of traces that are drawn at once: one call per attempt would cost more than the attempt's bookkeeping. */
const drawn = 512;

/**
 * Returns a source of sampled traces in the form of W3C Trace Context. All bits of an id are random, because tracing
 * systems sample by any part of it; ids do not depend on the seed, because two runs would share them.
 */
export function traceParents(): () => Trace {
  const bytes = Buffer.allocUnsafeSlow(bytesOfOne * drawn);
  let at = bytes.length;
  return () => {
    if (at === bytes.length) {
      randomFillSync(bytes);
      at = 0;
    }
    const id = bytes.toString('hex', at, at + idBytes);
    const parent = `00-${id}-${bytes.toString('hex', at + idBytes, at + bytesOfOne)}-01`;
    at += bytesOfOne;
    return { id, parent };
  };
}
