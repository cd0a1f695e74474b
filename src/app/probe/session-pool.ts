import pLimit from 'p-limit';
import { systemClock } from '../../edge/clock.ts';
import { openSender } from '../../edge/http/sender.ts';
import type { RawSession, RawTurn } from '../../edge/probe/raw-connection.ts';
import { planSession } from '../../plan/session-plan.ts';
import type { Settled } from '../../plan/settle.ts';
import { withChecks } from '../../session/check-reply.ts';
import { classify, createStatuses, judgeCreation, judgeMessage } from '../../protocol/chat-messaging/classify.ts';
import type { Verdict } from '../../protocol/protocol.ts';
import { createBody } from '../../protocol/chat-messaging/create-body.ts';
import { messageBody } from '../../protocol/chat-messaging/message-body.ts';
import { senderOptions } from '../run/perform-run.ts';

/** Sessions that were created for autocannon's connections, which stay from step to step. */
export interface SessionPool {
  sessions: readonly RawSession[];
  /** The first creation that went wrong; no more are tried after it. */
  refused: Verdict | undefined;
}

const createdAtOnce = 8;

/** Creates sessions until there are `count`, or one is refused, or `stop` says so. */
export async function growPool(
  pool: SessionPool,
  count: number,
  { settled, baseUrl, stop }: { settled: Settled; baseUrl: URL; stop: AbortSignal },
): Promise<SessionPool> {
  const { plan } = settled;
  const sender = openSender(senderOptions(baseUrl, settled));
  const limit = pLimit(createdAtOnce);
  const sessions = [...pool.sessions];
  const first = sessions.length + 1;
  const body = createBody(plan.target.createSession.body, plan.target.agentId);
  const judge = judgeCreation(plan.target.createSession.sessionIdFrom);
  const cut = (): void => sender.cut();
  stop.addEventListener('abort', cut);
  let { refused } = pool;
  const create = async (number: number): Promise<void> => {
    if (refused !== undefined || stop.aborted) return;
    const verdict = classify(await sender.send('create', body, systemClock.now()), createStatuses, judge);
    if (verdict.outcome === 'ok') sessions.push(rawSession(settled, number, verdict.value));
    else if (verdict.outcome !== 'aborted') refused ??= verdict;
  };
  await Promise.all(Array.from({ length: count - sessions.length }, (_, index) => limit(create, first + index)));
  stop.removeEventListener('abort', cut);
  await sender.close();
  return { sessions, refused };
}

/** Longer sessions begin again, so that what is prepared for a connection stays small. */
const mostPrepared = 50;

/** The own load of chat-load, which goes before, is what a broken function of the scenario ends. */
const leaveIt = (): void => undefined;

/** Writes the turns of a session beforehand, so that nothing of the scenario runs, or throws, inside autocannon. */
function rawSession({ plan, script }: Settled, number: number, sessionId: string): RawSession {
  const planned = planSession(script, number);
  const { agentId } = plan.target;
  const judge = judgeMessage(sessionId);
  const turns = Array.from({ length: Math.min(planned.turns, mostPrepared) }, (_, index): RawTurn => {
    const turn = index + 1;
    const message = planned.message(turn);
    const context = { session: { number }, turn: { number: turn }, message };
    return {
      body: messageBody({ agentId, sessionId, message, variableValues: planned.variableValues(turn) ?? '' }),
      judge:
        script.checks.length === 0 ? judge : withChecks(judge, { checks: script.checks, context, abandon: leaveIt }),
    };
  });
  return { turns };
}
