import type { AttemptClass } from '../outcome.ts';
import type { Verdict } from '../protocol.ts';

/** The verdict on an exchange without a reply. */
export function refused(outcome: AttemptClass, detail: string): Verdict {
  return { outcome, detail, reply: undefined };
}

/** The value of a JSON text; `undefined` where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A text that is not JSON is one of the answers of a service, not a failure of ours.
    return undefined;
  }
}
