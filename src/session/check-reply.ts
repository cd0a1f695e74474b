import { ChatLoadError, messageOf } from '../base/errors.ts';
import type { Script } from '../plan/script.ts';
import { isPromise, promiseWords } from '../base/promise.ts';
import type { ReplyContext } from '../scenario/scenario.ts';

/** What the scenario's checks found in a reply. */
interface CheckFinding {
  /** The first check that failed, and why; '' when none did. */
  failed: string;
  /** The first check that returned a promise; `undefined`: none did. */
  promised: string | undefined;
}

/** The finding when no check fails. */
const nothingFound: CheckFinding = { failed: '', promised: undefined };

/**
 * Applies the scenario's checks to a reply that keeps the contract, until one fails. A check that throws fails, with what
 * it threw as the reason. One that gives a promise has said nothing of the reply, which is not blamed for it.
 */
export function checkReply(checks: Script['checks'], text: string, context: ReplyContext): CheckFinding {
  let promised: string | undefined;
  for (const [name, check] of checks) {
    const found = apply(() => check(text, context));
    if (isPromise(found)) promised ??= name;
    else if (found !== true)
      return { failed: `check '${name}' failed${typeof found === 'string' ? `: ${found}` : ''}`, promised };
  }
  return promised === undefined ? nothingFound : { failed: '', promised };
}

function apply(check: () => unknown): unknown {
  try {
    return check();
  } catch (thrown) {
    // The message of JSON.parse quotes the text.
    return `it threw ${thrown instanceof SyntaxError ? 'a SyntaxError' : messageOf(thrown)}`;
  }
}

/** The error that ends the run when a check returned a promise. */
export function promiseError(name: string, { session, turn }: ReplyContext): ChatLoadError {
  return new ChatLoadError('usage', {
    message: `The function checks.${name} of the scenario failed in session ${String(session.number)}, turn ${String(turn.number)}: it returned a promise, ${promiseWords}`,
    hint: `Fix checks.${name} in the scenario file: it takes a reply and returns true, or false or a text that says what is wrong.`,
  });
}
