import { ms, type Instant } from '../base/time.ts';
import { isFailure } from '../protocol/outcome.ts';
import { endAttempt } from './end-attempt.ts';
import type { OperationEnd, OperationPlan } from './operation.ts';
import { Retries } from './play-retries.ts';
import type { Exchange } from './send.ts';
import { sendAttempt } from './send-attempt.ts';
import type { SessionContext } from './session-context.ts';
import type { SessionOrigin } from './observer.ts';
import type { SessionHead } from './session-head.ts';
import type { ChatApi } from '../protocol/protocol.ts';

/** Starts the first attempt. Its result goes to `conclude`. */
export function sendFirst(context: SessionContext, planned: OperationPlan): Promise<Exchange> {
  context.policies[planned.session.policy]?.budget?.attempt(planned.firstSentAt);
  return sendAttempt(context, planned, planned.firstSentAt);
}

/**
 * Continues after the first attempt: with the end of the operation, or with more attempts according to its session's
 * retry policy. Thousands of sessions wait for first attempts at once, and nearly all of these are ok: the session itself
 * waits, so that each keeps only a promise meanwhile, and nothing is allocated for retries in advance.
 *
 *     send -> exchange -> class -> done
 *                           '----> backoff -> send again
 */
export function endOperation(
  context: SessionContext,
  planned: OperationPlan,
  exchange: Exchange,
): OperationEnd | Promise<OperationEnd> {
  const end = endAttempt(context, planned, { exchange, attempts: 1, backoffMs: ms(0), lostMs: ms(0) });
  return isFailure(end.outcome) ? new Retries(context, planned).play(end, exchange) : end;
}

/** The creation of one session, if its protocol has one, and its request headers. */
export interface Beginning {
  creation: ChatApi['creation'];
  head: SessionHead | undefined;
}

export type Created =
  | { sessionId: string; endedAt: Instant }
  | { sessionId: undefined; end: 'create_failed' | 'create_cut'; endedAt: Instant };

/** Creates a session, retrying by its policy. If the protocol creates none, nothing is sent, and its ID is ''. */
export async function createSession(
  context: SessionContext,
  session: SessionOrigin,
  { creation, head }: Beginning,
): Promise<Created> {
  if (creation === undefined) {
    context.observer.sessionBegun(session);
    return { sessionId: '', endedAt: session.startedAt };
  }
  const planned = {
    session,
    operation: 'create',
    turn: 0,
    message: '',
    variableValues: '',
    messageNumber: 0,
    toolTurns: 0,
    request: creation.request,
    reader: creation,
    head,
    firstSentAt: session.startedAt,
    guard: undefined,
  } as const;
  const end = await endOperation(context, planned, await sendFirst(context, planned));
  if (end.reply !== undefined) {
    context.observer.sessionCreated(session, end.endedAt);
    return { sessionId: end.reply.id ?? '', endedAt: end.endedAt };
  }
  if (end.gaveUp !== undefined) context.observer.createGaveUp(session, end.gaveUp, end.endedAt);
  const wasCut = end.outcome === 'aborted' || end.gaveUp === 'run_end';
  return { sessionId: undefined, end: wasCut ? 'create_cut' : 'create_failed', endedAt: end.endedAt };
}
