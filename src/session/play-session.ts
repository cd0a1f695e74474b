import type { Instant } from '../base/time.ts';
import { createSession, endOperation, sendFirst } from './play-operation.ts';
import { LiveSession } from './live-session.ts';
import type { SessionContext } from './session-context.ts';

/**
 * Plays one session: creates it, then sends its turns one after another. Resolves to the instant at which it ended;
 * everything is reported to the observer, and nothing rejects. The hot path of a run: this one function does all the
 * waiting of a session that goes well, since every other that waited would keep a frame for each of the hundred
 * thousand sessions that may be alive.
 */
export async function playSession(context: SessionContext, number: number, due: Instant): Promise<Instant> {
  const { sleeper, turnPlace } = context;
  const session = new LiveSession(context, number, due);
  session.created(await createSession(context, session.origin, session.beginCreation()));
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
