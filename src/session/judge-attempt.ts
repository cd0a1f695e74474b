import type { Script } from '../plan/script.ts';
import { readCalls } from '../plan/tool-calls.ts';
import type { AttemptClass } from '../protocol/outcome.ts';
import type { Reply, ToolCall } from '../protocol/protocol.ts';
import type { ReplyContext } from '../scenario/scenario.ts';
import { checkReply, nothingFound, type CheckFinding } from './check-reply.ts';
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
  { cost, checks, tools }: Pick<Script, 'cost' | 'checks' | 'tools'>,
  planned: OperationPlan,
  exchange: Exchange,
): JudgedAttempt {
  const { outcome, detail, reply } = planned.reader.read(exchange);
  if (reply === undefined || planned.operation === 'create') {
    const finding = outcome === 'aborted' ? undefined : planned.guard?.examinePart(exchange.stream?.text ?? '');
    const judged = finding === undefined ? { outcome, detail, reply } : failedCheck(integrityWords(finding));
    return { ...judged, price: undefined, kept: undefined, finding, promisedCheck: undefined };
  }
  const price = cost === undefined ? undefined : priceReply(cost, reply.data);
  const { toolCalls } = reply;
  if (toolCalls !== undefined && toolCalls.length > 0 && tools.size > 0) {
    const wrong = wrongCalls(tools, planned, toolCalls);
    const judged = wrong === '' ? { outcome, detail, reply } : failedCheck(wrong);
    return { ...judged, price, kept: reply, finding: undefined, promisedCheck: undefined };
  }
  const finding = planned.guard?.examine(planned.messageNumber, reply);
  const failed = finding?.failed;
  const checked: CheckFinding =
    failed !== undefined || checks.length === 0 ? nothingFound : checkReply(checks, reply.text, contextOf(planned));
  const wrong = finding === undefined || failed === undefined ? checked.failed : integrityWords(finding);
  const promisedCheck = checked.promised;
  if (wrong !== '') return { ...failedCheck(wrong), price, kept: reply, finding, promisedCheck };
  if (promisedCheck === undefined) return { outcome, detail, reply, price, kept: reply, finding, promisedCheck };
  const unjudged = `check '${promisedCheck}' returned a promise`;
  return {
    outcome: 'aborted',
    detail: unjudged,
    reply: undefined,
    price,
    kept: reply,
    finding: undefined,
    promisedCheck,
  };
}

const integrityWords = ({ failed, detail }: Finding): string => `integrity check '${String(failed)}' failed: ${detail}`;

/** Tool turns in a row: an agent that goes on calling tools never answers. */
const mostToolTurns = 8;

/** Why calls can't be answered, in words; '' when they can. */
function wrongCalls(tools: Script['tools'], { toolTurns }: OperationPlan, calls: readonly ToolCall[]): string {
  const read = readCalls(tools, calls);
  if (typeof read === 'string') return read;
  return toolTurns < mostToolTurns ? '' : `the reply calls tools after ${String(mostToolTurns)} tool turns in a row`;
}

const failedCheck = (detail: string): Pick<JudgedAttempt, 'outcome' | 'detail' | 'reply'> => ({
  outcome: 'check_failed',
  detail,
  reply: undefined,
});

/** What a scenario's check is given beside the reply. */
export function contextOf({ session, messageNumber, message }: OperationPlan): ReplyContext {
  return { session: { number: session.number }, turn: { number: messageNumber }, message };
}
