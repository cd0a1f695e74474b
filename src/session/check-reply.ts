import { messageOf } from '../base/errors.ts';
import type { Script } from '../plan/script.ts';
import type { ReplyContext } from '../scenario/scenario.ts';
import type { Judge } from './classify.ts';

/**
 * A judge that lets a reply which keeps the contract through the scenario's checks; the first that fails is told. A
 * check that throws fails, with what it threw as the reason.
 */
export const withChecks =
  (judge: Judge, checks: Script['checks'], context: ReplyContext): Judge =>
  (envelope) => {
    const judged = judge(envelope);
    if (!('value' in judged)) return judged;
    for (const [name, check] of checks) {
      const found = apply(() => check(judged.value, context));
      if (found !== true)
        return { failedCheck: `check '${name}' failed${typeof found === 'string' ? `: ${found}` : ''}` };
    }
    return judged;
  };

function apply(check: () => unknown): unknown {
  try {
    return check();
  } catch (thrown) {
    // What JSON.parse says of a text quotes it.
    return `it threw ${thrown instanceof SyntaxError ? 'a SyntaxError' : messageOf(thrown)}`;
  }
}
