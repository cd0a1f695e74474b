import type { Instant } from '../base/time.ts';
import type { SessionOrigin } from './observer.ts';
import { conclude, sendFirst } from './play-operation.ts';
import type { OperationPlan } from './operation.ts';
import type { SessionStage } from './stage.ts';

export type Created =
  | { sessionId: string; endedAt: Instant }
  | { sessionId: undefined; end: 'create_failed' | 'create_cut'; endedAt: Instant };

/** Creates a session, retrying by its policy. */
export async function createSession(stage: SessionStage, session: SessionOrigin): Promise<Created> {
  const planned: OperationPlan = {
    session,
    operation: 'create',
    turn: 0,
    sessionId: '',
    message: '',
    body: stage.createBody,
    firstSentAt: session.startedAt,
    guard: undefined,
  };
  const end = await conclude(stage, planned, await sendFirst(stage, planned));
  if (end.outcome === 'ok') {
    stage.observer.sessionCreated(session, end.endedAt);
    return { sessionId: end.value, endedAt: end.endedAt };
  }
  if (end.gaveUp !== undefined) stage.observer.createGaveUp(session, end.gaveUp, end.endedAt);
  const wasCut = end.outcome === 'aborted' || end.gaveUp === 'run_end';
  return { sessionId: undefined, end: wasCut ? 'create_cut' : 'create_failed', endedAt: end.endedAt };
}
