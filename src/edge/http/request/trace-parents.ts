import { randomFillSync } from 'node:crypto';
import { parentText } from '../../../record/spans.ts';
import type { SentAttempt, Trace } from '../../../session/session-head.ts';

const idBytes = 16;
/** Number of ids that are drawn at once: one call per attempt would cost more than the attempt's bookkeeping. */
const drawn = 512;

/**
 * Returns a source of trace ids. All bits of an id are random, because tracing systems sample by any part of it; ids do not
 * depend on the seed, because two runs would share them.
 */
export function traceIds(): () => string {
  const bytes = Buffer.allocUnsafeSlow(idBytes * drawn);
  let at = bytes.length;
  return () => {
    if (at === bytes.length) {
      randomFillSync(bytes);
      at = 0;
    }
    at += idBytes;
    return bytes.toString('hex', at - idBytes, at);
  };
}

/** Returns a source of traces in the form of W3C Trace Context. */
export function traceParents(isSampled: (session: number) => boolean): (sent: Pick<SentAttempt, 'session'>) => Trace {
  const newId = traceIds();
  return ({ session }) => {
    const id = newId();
    return { id, parent: parentText(id, isSampled(session)) };
  };
}
