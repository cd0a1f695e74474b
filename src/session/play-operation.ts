import { ms, type Instant } from '../base/time.ts';
import { isFailure } from '../protocol/outcome.ts';
import { endAttempt } from './end-attempt.ts';
import type { OperationEnd, OperationPlan } from './operation.ts';
import { playRetries } from './play-retries.ts';
import type { Exchange } from './send.ts';
import { sendAttempt, type Attempting } from './send-attempt.ts';
import type { OperationContext, Sending, Protocol } from './session-context.ts';
import type { SessionOrigin } from './observer.ts';
import type { SessionHead } from './session-head.ts';

/** Starts the first attempt. Its result goes to `conclude`. */
export function sendFirst(context: Sending & Attempting, planned: OperationPlan): Promise<Exchange> {
  context.policies[planned.session.policy]?.budget?.attempt(planned.firstSentAt);
  return sendAttempt(context, planned, planned.firstSentAt);
}

/**
 * Continues after the first attempt: with the end of the operation, or with more attempts according to its session's
 * retry policy. A run waits in thousands of sessions at once for first attempts, nearly all of which are ok: so that
 * each keeps no more than a promise meanwhile, the session waits, and nothing is allocated for a retry before there is
 * one.
 *
 *     send -> exchange -> class -> done
 *                           '----> backoff -> send again
 */
export function endOperation(
  context: OperationContext,
  planned: OperationPlan,
  exchange: Exchange,
): OperationEnd | Promise<OperationEnd> {
  const end = endAttempt(context, planned, { exchange, attempts: 1, backoffMs: ms(0), lostMs: ms(0) });
  return isFailure(end.outcome) ? playRetries(context, planned, { end, exchange }) : end;
}

export type Created =
  | { sessionId: string; endedAt: Instant }
  | { sessionId: undefined; end: 'create_failed' | 'create_cut'; endedAt: Instant };

/** Creates a session, retrying by its policy. Where the protocol creates none, nothing is sent, and its id is ''. */
export async function createSession(
  context: OperationContext & Protocol,
  session: SessionOrigin,
  head?: SessionHead,
): Promise<Created> {
  const { creation } = context.api;
  if (creation === undefined) return begun(context, session);
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

function begun({ observer }: Pick<OperationContext, 'observer'>, session: SessionOrigin): Created {
  observer.sessionBegun(session);
  return { sessionId: '', endedAt: session.startedAt };
}
