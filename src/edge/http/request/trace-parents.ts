import { randomFillSync } from 'node:crypto';
import type { Trace } from '../../../session/session-head.ts';

const idBytes = 16;
const bytesOfOne = idBytes + 8;
/** Number of traces that are drawn at once: a call for every attempt would cost more than the attempt's bookkeeping. */
const drawn = 512;

/**
 * Returns a source of traces in the form of W3C Trace Context, sampled: random from end to end, because tracing systems
 * sample by any part of an id, and not from the seed, because two runs would share their ids.
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
