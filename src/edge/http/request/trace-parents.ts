import { randomFillSync } from 'node:crypto';
import { parentText } from '../../../record/spans.ts';
import type { SentAttempt, Trace } from '../../../session/session-head.ts';

const idBytes = 16;
const idDigits = 2 * idBytes;
/** Number of ids that are drawn at once: one call per attempt would cost more than the attempt's bookkeeping. */
const drawn = 512;

/**
 * Returns a source of trace ids. All bits of an id are random, because tracing systems sample by any part of it; ids do not
 * depend on the seed, because two runs would share them.
 */
export function traceIds(): () => string {
  const bytes = Buffer.allocUnsafeSlow(idBytes * drawn);
  let [digits, at] = ['', 0];
  return () => {
    if (at === digits.length) {
      digits = randomFillSync(bytes).toString('hex');
      at = 0;
    }
    at += idDigits;
    return digits.slice(at - idDigits, at);
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
