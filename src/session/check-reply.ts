import { ChatLoadError, messageOf } from '../base/errors.ts';
import type { Script } from '../plan/script.ts';
import { isPromise, promiseWords } from '../scenario/promise.ts';
import type { ReplyContext } from '../scenario/scenario.ts';
import type { Judge } from './classify.ts';
import type { SessionContext } from './session-context.ts';

/** What a reply is held to. */
export interface ReplyChecks {
  checks: Script['checks'];
  context: ReplyContext;
  abandon: SessionContext['abandon'];
}

/**
 * A judge that lets a reply which keeps the contract through the scenario's checks; the first that fails is told. A
 * check that throws fails, with what it threw as the reason. One that gives a promise has said nothing of the reply,
 * which is not blamed for it: it ends the run.
 */
export function withChecks(judge: Judge, { checks, context, abandon }: ReplyChecks): Judge {
  return (envelope) => {
    const judged = judge(envelope);
    if (!('value' in judged)) return judged;
    for (const [name, check] of checks) {
      const found = apply(() => check(judged.value, context));
      if (isPromise(found)) abandon(failed(name, context));
      else if (found !== true)
        return { failedCheck: `check '${name}' failed${typeof found === 'string' ? `: ${found}` : ''}` };
    }
    return judged;
  };
}

function apply(check: () => unknown): unknown {
  try {
    return check();
  } catch (thrown) {
    // What JSON.parse says of a text quotes it.
    return `it threw ${thrown instanceof SyntaxError ? 'a SyntaxError' : messageOf(thrown)}`;
  }
}

const failed = (name: string, { session, turn }: ReplyContext): ChatLoadError =>
  new ChatLoadError('usage', {
    message: `The function checks.${name} of the scenario failed in session ${String(session.number)}, turn ${String(turn.number)}: it gave a promise, ${promiseWords}`,
    hint: `Fix checks.${name} in the scenario file: it is given a reply, and gives true, or false or words for what is wrong.`,
  });
