import type { Instant } from '../base/time.ts';
import type { SessionOrigin } from './observer.ts';
import { endOperation, sendFirst } from './play-operation.ts';
import type { SessionHead } from './session-head.ts';
import type { OperationContext, Protocol } from './session-context.ts';

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
