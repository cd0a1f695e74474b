import { ChatLoadError } from '../base/errors.ts';
import { later, type Instant } from '../base/time.ts';
import { planSession, type SessionPlan } from '../plan/session-plan.ts';
import type { ReplyContext } from '../scenario/scenario.ts';
import { messageBodies } from '../wire/message-body.ts';
import type { SessionEnd, TurnClass } from '../wire/outcome.ts';
import { withChecks } from './check-reply.ts';
import { createStatuses, judgeCreation, judgeMessage, messageStatuses } from './classify.ts';
import type { GiveUp, SessionOrigin } from './observer.ts';
import { playOperation } from './play-operation.ts';
import type { SessionStage } from './stage.ts';

/**
 * Plays one session: creates it, then sends its turns one after another. Resolves to the instant at which it ended;
 * whatever happens is told to the observer, and nothing rejects.
 */
export async function playSession(stage: SessionStage, number: number, due: Instant): Promise<Instant> {
  const planned = planSession(stage.script, number);
  const session: SessionOrigin = { number, policy: planned.policy, due, startedAt: stage.clock.now() };
  stage.observer.sessionStarted(session);
  const created = await create(stage, session);
  const end =
    created.sessionId === undefined
      ? { end: created.end, endedAt: created.endedAt, played: 0 }
      : await playTurns(stage, planned, { session, sessionId: created.sessionId, createdAt: created.endedAt });
  const unsent = planned.turns - end.played;
  stage.observer.sessionEnded({
    session,
    end: end.end,
    endedAt: end.endedAt,
    plannedTurns: planned.turns,
    skippedPriorFailure: end.end === 'failed' ? unsent : 0,
    skippedRunEnd: end.end === 'cut' ? unsent : 0,
  });
  return end.endedAt;
}

type Created =
  | { sessionId: string; endedAt: Instant }
  | { sessionId: undefined; end: 'create_failed' | 'create_cut'; endedAt: Instant };

async function create(stage: SessionStage, session: SessionOrigin): Promise<Created> {
  const end = await playOperation(stage, {
    session,
    operation: 'create',
    turn: 0,
    body: stage.createBody,
    welcome: createStatuses,
    judge: judgeCreation(stage.plan.target.createSession.sessionIdFrom),
    firstSentAt: session.startedAt,
  });
  if (end.outcome === 'ok') {
    stage.observer.sessionCreated(session, end.endedAt);
    return { sessionId: end.value, endedAt: end.endedAt };
  }
  if (end.gaveUp !== undefined) stage.observer.createGaveUp(session, end.gaveUp, end.endedAt);
  const wasCut = end.outcome === 'aborted' || end.gaveUp === 'run_end';
  return { sessionId: undefined, end: wasCut ? 'create_cut' : 'create_failed', endedAt: end.endedAt };
}

interface LiveSession {
  session: SessionOrigin;
  sessionId: string;
  createdAt: Instant;
}

interface TurnsEnd {
  end: SessionEnd;
  endedAt: Instant;
  /** Turns that were sent. */
  played: number;
}

/** Plays the turns in order, one at a time, until they are done, one fails for good, or the run ends. */
async function playTurns(stage: SessionStage, planned: SessionPlan, live: LiveSession): Promise<TurnsEnd> {
  const play = turnPlayer(stage, planned, live);
  let endedAt = live.createdAt;
  let ready = live.createdAt;
  let isTainted = false;
  for (let turn = 1; turn <= planned.turns; turn++) {
    if (turn > 1) ready = later(endedAt, planned.thinkTime(turn - 1));
    const isReady = ready <= endedAt || (await stage.sleeper.sleepUntil(ready, 'halt'));
    const ended = isReady ? await (stage.turnLimit?.(play, turn, ready) ?? play(turn, ready)) : undefined;
    if (ended === undefined) return { end: 'cut', endedAt: stage.clock.now(), played: turn - 1 };
    endedAt = ended.endedAt;
    if (ended.outcome === 'aborted' || ended.gaveUp === 'run_end') return { end: 'cut', endedAt, played: turn };
    if (ended.outcome !== 'ok') {
      isTainted = true;
      if (stage.plan.onFailedTurn === 'stop' || stage.brake.reached('halt'))
        return { end: 'failed', endedAt, played: turn };
    }
  }
  return { end: isTainted ? 'failed' : 'completed', endedAt, played: planned.turns };
}

interface TurnEnd {
  outcome: TurnClass;
  endedAt: Instant;
  gaveUp: GiveUp | undefined;
}

/** Plays single turns of a session; a turn resolves to `undefined`, unsent, when the run has ended. */
function turnPlayer(
  stage: SessionStage,
  planned: SessionPlan,
  { session, sessionId }: LiveSession,
): (turn: number, ready: Instant) => Promise<TurnEnd | undefined> {
  const { brake, clock, observer } = stage;
  const bodyOf = messageBodies(stage.plan.target.agentId, sessionId);
  const judge = judgeMessage(sessionId);
  const { checks } = stage.script;
  return async (turn, ready) => {
    if (brake.reached('halt')) return undefined;
    const message = render(stage, () => planned.message(turn));
    const values = render(stage, () => planned.variableValues(turn) ?? '');
    if (message === undefined || values === undefined) return undefined;
    const firstSentAt = clock.now();
    observer.turnSent(session, ready, firstSentAt);
    const end = await playOperation(stage, {
      session,
      operation: 'message',
      turn,
      body: bodyOf(message, values),
      welcome: messageStatuses,
      judge: checks.length === 0 ? judge : withChecks(judge, checks, contextOf(session, turn, message)),
      firstSentAt,
    });
    const { outcome, attempts, endedAt, backoffMs, gaveUp } = end;
    const due = turn === 1 ? session.due : ready;
    observer.turn({ session, turn, due, ready, firstSentAt, endedAt, outcome, attempts, backoffMs, gaveUp });
    return end;
  };
}

const contextOf = ({ number }: SessionOrigin, turn: number, message: string): ReplyContext => ({
  session: { number },
  turn: { number: turn },
  message,
});

/** What a function of the scenario throws ends the run; anything else is a bug of ours and goes on up. */
function render(stage: SessionStage, text: () => string): string | undefined {
  try {
    return text();
  } catch (thrown) {
    if (!(thrown instanceof ChatLoadError)) throw thrown;
    stage.abandon(thrown);
    return undefined;
  }
}
