import type { Instant } from '../base/time.ts';
import { createSession } from './create-session.ts';
import { LiveSession } from './live-session.ts';
import { conclude, sendFirst } from './play-operation.ts';
import type { SessionStage } from './stage.ts';

/**
 * Plays one session: creates it, then sends its turns one after another. Resolves to the instant at which it ended;
 * whatever happens is told to the observer, and nothing rejects. The hot path of a run: this one function does all the
 * waiting of a session that goes well, since every other that waited would keep a frame for each of the hundred
 * thousand sessions that may be alive.
 */
export async function playSession(stage: SessionStage, number: number, due: Instant): Promise<Instant> {
  const { sleeper, turnPlace } = stage;
  const session = new LiveSession(stage, number, due);
  session.created(await createSession(stage, session.origin));
  while (!session.hasEnded) {
    if (session.isThinking && !(await sleeper.sleepUntil(session.ready, 'halt'))) {
      session.cut();
      break;
    }
    const leave = turnPlace === undefined ? undefined : await turnPlace();
    const sent = session.beginTurn();
    if (sent !== undefined) {
      const concluded = conclude(stage, sent, await sendFirst(stage, sent));
      session.endTurn(sent, concluded instanceof Promise ? await concluded : concluded);
    }
    leave?.();
  }
  return session.close();
}
