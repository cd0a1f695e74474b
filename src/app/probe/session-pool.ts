import pLimit from 'p-limit';
import { systemClock } from '../../edge/clock.ts';
import { safeDetail } from '../../edge/http/exchange/safe-detail.ts';
import { openSender } from '../../edge/http/open-sender.ts';
import type { RawSession, RawTurn } from '../../edge/probe/raw-connection.ts';
import { planSession } from '../../plan/session-plan.ts';
import type { Script } from '../../plan/script.ts';
import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import type { ReplyContext } from '../../scenario/scenario-values.ts';
import { checkReply } from '../../session/judge-attempt.ts';
import type { ChatApi, ChatRequest, Conversation, Received, Verdict } from '../../protocol/protocol.ts';
import { unobserved } from '../../protocol/socket-api.ts';
import { senderOptions } from '../run/open-generator.ts';

export interface SessionPool {
  sessions: readonly RawSession[];
  /** First failed creation, after which none is tried. */
  refused: Verdict | undefined;
}

/** Creates sessions until there are `count`, one is refused, or `stop` is aborted. */
export async function growPool(
  pool: SessionPool,
  count: number,
  { resolved, baseUrl, stop }: { resolved: ResolvedScenario; baseUrl: URL; stop: AbortSignal },
): Promise<SessionPool> {
  const api = resolved.script.protocol.open({ ...resolved.plan.target, instructions: resolved.script.instructions });
  const sender = openSender(senderOptions(baseUrl, resolved));
  const limit = pLimit(8);
  const sessions = [...pool.sessions];
  const first = sessions.length + 1;
  const cut = (): void => sender.cut();
  stop.addEventListener('abort', cut);
  let { refused } = pool;
  const create = async (number: number): Promise<void> => {
    if (refused !== undefined || stop.aborted) return;
    const planned = planSession(resolved.script, number);
    const { text } = planned.headers(0);
    const keepSecret = (secret: string): void => resolved.secrets.pass(secret);
    const ids = { runId: planned.runId, uuid: () => planned.uuid(), keepSecret };
    const own = api.forSession?.(number, unobserved, ids) ?? api;
    const id = await createIn(own, (request) => sender.send({ ...request, fields: text }, systemClock.now()));
    if (typeof id === 'string') sessions.push(rawSession(resolved, number, own.converse(id)));
    else if (id.outcome !== 'aborted')
      refused ??= { ...id, detail: safeDetail(id.detail, (text) => resolved.secrets.redact(text)) };
  };
  await Promise.all(Array.from({ length: count - sessions.length }, (_, index) => limit(create, first + index)));
  stop.removeEventListener('abort', cut);
  await sender.close();
  return { sessions, refused };
}

/** Returns the id of a new session, '' if the protocol creates none, or the verdict of a refused creation. */
async function createIn(
  { creation }: ChatApi,
  send: (request: ChatRequest) => Promise<Received>,
): Promise<string | Verdict> {
  if (creation === undefined) return '';
  let received = await send(creation.request);
  for (let next = creation.poll?.(received); next !== undefined; next = creation.poll?.(received))
    received = await send(next.request);
  const verdict = creation.read(received);
  return verdict.reply === undefined ? verdict : (verdict.reply.id ?? '');
}

/** Maximum number of prepared turns per session; longer sessions start again. */
const maxPrepared = 50;

/** Prepares the turns of a session, so that no scenario code runs or throws inside autocannon. */
function rawSession({ script }: ResolvedScenario, number: number, conversation: Conversation): RawSession {
  const planned = planSession(script, number);
  const turns = Array.from({ length: Math.min(planned.foreseen, maxPrepared) }, (_, index): RawTurn => {
    const turn = index + 1;
    const message = planned.message(turn);
    const context = { session: { number }, turn: { number: turn }, message };
    return {
      request: conversation.request({ message, variableValues: planned.variableValues(turn) ?? '' }),
      headers: { ...script.headers.constant, ...planned.headers(turn).fields },
      read: (received) => holdToChecks(conversation.read(received), script.checks, context),
    };
  });
  return { turns };
}

/** Applies the checks of a scenario; asynchronous checks are left to chat-load's own load. */
function holdToChecks(verdict: Verdict, checks: Script['checks'], context: ReplyContext): Verdict {
  if (verdict.reply === undefined || checks.length === 0) return verdict;
  const { failed } = checkReply(checks, verdict.reply.text, context);
  return failed === '' ? verdict : { outcome: 'check_failed', detail: failed, reply: undefined };
}
