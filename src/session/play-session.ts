import type { Instant } from '../base/time.ts';
import { createSession, endOperation, sendFirst } from './play-operation.ts';
import { LiveSession } from './live-session.ts';
import type { SessionContext } from './session-context.ts';

/**
 * Runs one session: creates it, then sends its turns. Resolves to the instant of its end; reports everything to the
 * observer, and never rejects. The hot path of a run: this function alone does the waiting of a session without
 * failures, because every other waiting function would keep a frame for each of up to a hundred thousand sessions.
 */
export async function playSession(context: SessionContext, number: number, due: Instant): Promise<Instant> {
  const { sleeper, turnPlace } = context;
  const session = new LiveSession(context, number, due);
  session.created(await createSession(context, session.origin, session.beginCreation()));
  const opening = session.openStream();
  if (opening !== undefined) await opening;
  while (!session.hasEnded) {
    if (session.isThinking && !(await sleeper.sleepUntil(session.ready, 'halt'))) {
      session.cut();
      break;
    }
    const leave = turnPlace === undefined ? undefined : await turnPlace();
    const sent = session.beginTurn();
    if (sent !== undefined) {
      const concluded = endOperation(context, sent, await sendFirst(context, sent));
      session.endTurn(sent, concluded instanceof Promise ? await concluded : concluded);
    }
    leave?.();
  }
  return session.close();
}
