import type { Script } from '../plan/script.ts';
import { readCalls } from '../plan/session-scope.ts';
import type { AttemptClass } from '../protocol/outcome.ts';
import type { Reply, ToolCall, Verdict } from '../protocol/protocol.ts';
import type { ReplyContext } from '../scenario/scenario.ts';
import { checkReply } from './check-reply.ts';
import type { Finding } from './integrity/finding.ts';
import type { OperationPlan } from './operation.ts';
import { priceReply, type Price } from './price-reply.ts';
import type { Exchange } from './send.ts';

/** What an attempt turned out to be. */
export interface JudgedAttempt {
  outcome: AttemptClass;
  /** Why, in words; '' for `ok`. */
  detail: string;
  /** `undefined` unless the outcome is `ok`. */
  reply: Reply | undefined;
  /** Of every reply that keeps the contract: one that then fails a check costs the same. `undefined`: costs are not asked for. */
  price: Price | undefined;
  /** Such a reply itself, for what it says of itself. */
  kept: Reply | undefined;
  /** What the integrity guard found; `undefined`: it did not look, or the reply is not judged. */
  finding: Finding | undefined;
  /** A check of the scenario that returned a promise. */
  promisedCheck: string | undefined;
}

/**
 * Judges an attempt, step by step: its class; then, of a message's reply that keeps the contract, its price, what the
 * integrity guard finds, and, without findings, the scenario's checks. Without side effects. A check that returned a
 * promise ends the run: its reply was neither ok nor failed, and the attempt is cut with what is in flight.
 *
 *     exchange -> class --ok--> price -> guard --all well--> checks
 *                   '---> guard: whether what had come of a broken stream is of another session
 *                                  '---> calls of tools, which are no answer yet: whether the scenario has those tools
 */
export function judgeAttempt(
  script: Pick<Script, 'cost' | 'checks' | 'tools'>,
  planned: OperationPlan,
  exchange: Exchange,
): JudgedAttempt {
  const { outcome, detail, reply } = planned.reader.read(exchange);
  if (reply === undefined) return judgePart(planned, exchange, { outcome, detail, reply });
  if (planned.operation === 'create') return unjudged({ outcome, detail, reply });
  const price = script.cost === undefined ? undefined : priceReply(script.cost, reply.data);
  if (reply.toolCalls !== undefined && reply.toolCalls.length > 0 && script.tools.size > 0)
    return judgeCalls(script.tools, planned, { reply, calls: reply.toolCalls, price });
  const finding = planned.guard?.examine(planned.messageNumber, reply);
  if (finding?.failed !== undefined) {
    return { ...checkFailed(integrityWords(finding)), price, kept: reply, finding, promisedCheck: undefined };
  }
  if (script.checks.length > 0) {
    const { failed, promised } = checkReply(script.checks, reply.text, contextOf(planned));
    if (failed !== '') return { ...checkFailed(failed), price, kept: reply, finding, promisedCheck: promised };
    if (promised !== undefined) return { ...cutByPromise(promised), price, kept: reply };
  }
  return { outcome, detail, reply, price, kept: reply, finding, promisedCheck: undefined };
}

/** Of a reply that is none, the part that came is looked at: it must not be of another session. */
function judgePart(planned: OperationPlan, exchange: Exchange, verdict: Verdict): JudgedAttempt {
  const finding = verdict.outcome === 'aborted' ? undefined : planned.guard?.examinePart(exchange.stream?.text ?? '');
  return finding === undefined ? unjudged(verdict) : { ...unjudged(checkFailed(integrityWords(finding))), finding };
}

/** Calls of tools are no answer yet: it is judged whether the scenario has those tools. */
function judgeCalls(
  tools: Script['tools'],
  planned: OperationPlan,
  { reply, calls, price }: { reply: Reply; calls: readonly ToolCall[]; price: Price | undefined },
): JudgedAttempt {
  const wrong = wrongCalls(tools, planned, calls);
  const verdict = wrong === '' ? ({ outcome: 'ok', detail: '', reply } as const) : checkFailed(wrong);
  return { ...unjudged(verdict), price, kept: reply };
}

const unjudged = ({ outcome, detail, reply }: Verdict): JudgedAttempt => ({
  outcome,
  detail,
  reply,
  price: undefined,
  kept: undefined,
  finding: undefined,
  promisedCheck: undefined,
});

const integrityWords = ({ failed, detail }: Finding): string => `integrity check '${String(failed)}' failed: ${detail}`;

/** Tool turns in a row: an agent that goes on calling tools never answers. */
const mostToolTurns = 8;

/** Why calls can't be answered, in words; '' when they can. */
function wrongCalls(tools: Script['tools'], { toolTurns }: OperationPlan, calls: readonly ToolCall[]): string {
  const read = readCalls(tools, calls);
  if (typeof read === 'string') return read;
  return toolTurns < mostToolTurns ? '' : `the reply calls tools after ${String(mostToolTurns)} tool turns in a row`;
}

const checkFailed = (detail: string): Verdict => ({ outcome: 'check_failed', detail, reply: undefined });

const cutByPromise = (promisedCheck: string): Omit<JudgedAttempt, 'price' | 'kept'> => ({
  outcome: 'aborted',
  detail: `check '${promisedCheck}' returned a promise`,
  reply: undefined,
  finding: undefined,
  promisedCheck,
});

/** What a scenario's check is given beside the reply. */
export function contextOf({ session, messageNumber, message }: OperationPlan): ReplyContext {
  return { session: { number: session.number }, turn: { number: messageNumber }, message };
}
