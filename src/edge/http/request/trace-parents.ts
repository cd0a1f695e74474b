import { randomFillSync } from 'node:crypto';
import type { Trace } from '../../../session/session-head.ts';

const idBytes = 16;
const bytesOfOne = idBytes + 8;
/** Drawn at once: a call for every attempt would cost more than the attempt's own bookkeeping. */
const drawn = 512;

/**
 * Traces as W3C Trace Context has them, sampled: random from end to end, since tracing systems take their samples by
 * any part of an id, and not from the seed, by which two runs would have the same ones.
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
