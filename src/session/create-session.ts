import type { Instant } from '../base/time.ts';
import type { SessionOrigin } from './observer.ts';
import { endOperation, sendFirst } from './play-operation.ts';
import type { OperationPlan } from './operation.ts';
import type { SessionContext } from './session-context.ts';

export type Created =
  | { sessionId: string; endedAt: Instant }
  | { sessionId: undefined; end: 'create_failed' | 'create_cut'; endedAt: Instant };

/** Creates a session, retrying by its policy. */
export async function createSession(context: SessionContext, session: SessionOrigin): Promise<Created> {
  const planned: OperationPlan = {
    session,
    operation: 'create',
    turn: 0,
    sessionId: '',
    message: '',
    body: context.createBody,
    firstSentAt: session.startedAt,
    guard: undefined,
  };
  const end = await endOperation(context, planned, await sendFirst(context, planned));
  if (end.outcome === 'ok') {
    context.observer.sessionCreated(session, end.endedAt);
    return { sessionId: end.value, endedAt: end.endedAt };
  }
  if (end.gaveUp !== undefined) context.observer.createGaveUp(session, end.gaveUp, end.endedAt);
  const wasCut = end.outcome === 'aborted' || end.gaveUp === 'run_end';
  return { sessionId: undefined, end: wasCut ? 'create_cut' : 'create_failed', endedAt: end.endedAt };
}
