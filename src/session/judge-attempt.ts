import type { Script } from '../plan/script.ts';
import { readCalls } from '../plan/session-scope.ts';
import type { AttemptClass } from '../protocol/outcome.ts';
import type { Price } from '../plan/prices.ts';
import type { Reply, SpentUsage, Verdict } from '../protocol/protocol.ts';
import type { ReplyContext } from '../scenario/scenario-values.ts';
import type { Finding } from './integrity/finding.ts';
import type { OperationPlan } from './operation.ts';
import { priceAttempt, type PriceProblem } from './price-attempt.ts';
import type { Exchange } from './send.ts';
import { ChatLoadError, messageOf } from '../base/errors.ts';
import { isPromise, promiseWords } from '../base/promise.ts';

/** Judged result of an attempt. */
export interface JudgedAttempt {
  outcome: AttemptClass;
  /** Reason for the class; '' for `ok`. */
  detail: string;
  /** `undefined` unless the outcome is `ok`. */
  reply: Reply | undefined;
  /** Cost of the attempt: a reply that then fails a check costs the same. `undefined`: costs are not computed. */
  price: Price | PriceProblem | undefined;
  /** Usage that an incomplete or broken reply reported. */
  spent: SpentUsage | undefined;
  /** The conforming reply, for its own figures. */
  kept: Reply | undefined;
  /** Finding of the integrity guard; `undefined`: no guard, or the reply is not judged. */
  finding: Finding | undefined;
  /** A check of the scenario that returned a promise. */
  promisedCheck: string | undefined;
  /** Wait that the body of a refusal asks for, in the form of `Retry-After`. */
  retryAfter?: string | undefined;
  /** True if the next attempt sends what this one lacked. */
  canResend?: boolean | undefined;
}

/**
 * Judges an attempt, step by step: its class; then, for a message's conforming reply, its price, the integrity guard's
 * finding and, if there is none, the scenario's checks. Without side effects. A check that returned a promise ends the
 * run: its reply was neither ok nor failed, and the attempt is cut with all others in flight.
 *
 *     exchange -> class --ok--> price -> guard --all well--> checks
 *                   '---> guard: checks the received part of a broken stream for another session's text
 *                                  '---> tool calls, not an answer yet: checks that the scenario has those tools
 */
export function judgeAttempt(
  script: Pick<Script, 'cost' | 'prices' | 'checks' | 'tools'>,
  planned: OperationPlan,
  exchange: Exchange,
): JudgedAttempt {
  const verdict = planned.reader.read(exchange);
  const { reply } = verdict;
  if (planned.operation === 'create') return unjudged(verdict);
  const price = priceAttempt(script, verdict);
  if (reply === undefined) return { ...judgePart(planned, exchange, verdict), price, spent: verdict.spent };
  if (reply.toolCalls !== undefined && reply.toolCalls.length > 0 && script.tools.size > 0) {
    const wrong = wrongCalls(script.tools, planned, reply.toolCalls);
    return {
      ...unjudged(wrong === '' ? { outcome: 'ok', detail: '', reply } : checkFailed(wrong)),
      price,
      kept: reply,
    };
  }
  const finding = planned.guard?.examine(planned.messageNumber, reply, planned.session.id);
  if (finding?.failed !== undefined)
    return { ...unjudged(checkFailed(integrityText(finding))), price, kept: reply, finding };
  if (script.checks.length > 0) {
    const { failed, promised } = checkReply(script.checks, reply.text, contextOf(planned));
    if (failed !== '')
      return { ...unjudged(checkFailed(failed)), price, kept: reply, finding, promisedCheck: promised };
    if (promised !== undefined) {
      const cut = { outcome: 'aborted', detail: `check '${promised}' returned a promise`, reply: undefined } as const;
      return { ...unjudged(cut), price, kept: reply, promisedCheck: promised };
    }
  }
  const { outcome, detail } = verdict;
  return { outcome, detail, reply, price, spent: undefined, kept: reply, finding, promisedCheck: undefined };
}

/** Checks a reply that was not complete, or names another session: it must not belong to another one. */
function judgePart(planned: OperationPlan, exchange: Exchange, verdict: Verdict): JudgedAttempt {
  const finding =
    verdict.isRestarted === true
      ? planned.guard?.restarted()
      : verdict.outcome === 'aborted'
        ? undefined
        : planned.guard?.examinePart(exchange.stream?.text ?? '');
  return finding === undefined ? unjudged(verdict) : { ...unjudged(checkFailed(integrityText(finding))), finding };
}

const unjudged = ({ outcome, detail, reply, retryAfter, canResend }: Verdict): JudgedAttempt => ({
  outcome,
  detail,
  reply,
  price: undefined,
  spent: undefined,
  kept: undefined,
  finding: undefined,
  promisedCheck: undefined,
  retryAfter,
  canResend,
});

const checkFailed = (detail: string): Verdict => ({ outcome: 'check_failed', detail, reply: undefined });

const integrityText = ({ failed, detail }: Finding): string => `integrity check '${String(failed)}' failed: ${detail}`;

/** Maximum number of tool turns in a row: an agent that always calls tools never answers. */
const maxToolTurns = 8;

/** Returns the reason why calls cannot be answered; '' if they can. Calls are not an answer yet: only their tools are checked. */
function wrongCalls(
  tools: Script['tools'],
  { toolTurns }: OperationPlan,
  calls: NonNullable<Reply['toolCalls']>,
): string {
  const read = readCalls(tools, calls);
  if (typeof read === 'string') return read;
  return toolTurns < maxToolTurns ? '' : `the reply calls tools after ${String(maxToolTurns)} tool turns in a row`;
}

/** Returns the context of a scenario's check. */
export function contextOf({ session, messageNumber, message }: OperationPlan): ReplyContext {
  return { session: { number: session.number }, turn: { number: messageNumber }, message };
}

/**
 * Applies the scenario's checks to a conforming reply, until one fails; '' if none did. A check that throws fails, with
 * the exception as the reason. A promise is not evidence about the reply: the run ends with an error that names the
 * first check that returned one.
 */
export function checkReply(
  checks: Script['checks'],
  text: string,
  context: ReplyContext,
): { failed: string; promised: string | undefined } {
  let promised: string | undefined;
  for (const [name, check] of checks) {
    const found = apply(() => check(text, context));
    if (isPromise(found)) promised ??= name;
    else if (found !== true)
      return { failed: `check '${name}' failed${typeof found === 'string' ? `: ${found}` : ''}`, promised };
  }
  return promised === undefined ? nothingFound : { failed: '', promised };
}

const nothingFound = { failed: '', promised: undefined };

function apply(check: () => unknown): unknown {
  try {
    return check();
  } catch (thrown) {
    // The message of JSON.parse quotes the text.
    return `it threw ${thrown instanceof SyntaxError ? 'a SyntaxError' : messageOf(thrown)}`;
  }
}

/** Returns the error that ends the run if a check returned a promise. */
export function promiseError(name: string, { session, turn }: ReplyContext): ChatLoadError {
  return new ChatLoadError('usage', {
    message: `The function checks.${name} of the scenario failed in session ${String(session.number)}, turn ${String(turn.number)}: it returned a promise, ${promiseWords}`,
    hint: `Fix checks.${name} in the scenario file: it receives a reply and returns true, or false or a description of the problem.`,
  });
}
