import pLimit from 'p-limit';
import { usageError } from '../../base/errors.ts';
import { systemClock } from '../../edge/clock.ts';
import type { RawSession, RawTurn } from '../../edge/calibrate/raw-connection.ts';
import { safeDetail } from '../../edge/http/exchange/safe-detail.ts';
import { openSender } from '../../edge/http/open-sender.ts';
import { urlOf } from '../../edge/http/request/request-head.ts';
import { beginReply } from '../../edge/http/stream/streamed-reply.ts';
import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import { planSession } from '../../plan/session-plan.ts';
import { protocolName } from '../../protocol/registry/registry.ts';
import type { ChatApi, ChatRequest, Conversation, HeaderFields, Received, Verdict } from '../../protocol/protocol.ts';
import { unobserved } from '../../protocol/socket-api.ts';
import { senderOptions } from '../run/open-generator.ts';

export interface PreparedSessions {
  sessions: readonly RawSession[];
  /** First failed creation, after which none is tried. */
  refused: Verdict | undefined;
}

interface Preparing {
  resolved: ResolvedScenario;
  baseUrl: URL;
  stop: AbortSignal;
}

/** Creates sessions in addition to prepared ones until there are `count`, one is refused, or `stop` is aborted. */
export async function prepareSessions(
  { sessions: before, ...prepared }: PreparedSessions,
  count: number,
  { resolved, baseUrl, stop }: Preparing,
): Promise<PreparedSessions> {
  const { plan, script, secrets } = resolved;
  const api = script.protocol.open({ ...plan.target, instructions: script.instructions });
  const sender = openSender(senderOptions(baseUrl, resolved));
  const limit = pLimit(8);
  const sessions = [...before];
  let { refused } = prepared;
  const cut = (): void => sender.cut();
  stop.addEventListener('abort', cut);
  const create = async (number: number): Promise<void> => {
    if (refused !== undefined || stop.aborted) return;
    const planned = planSession(script, number);
    const { text } = planned.headers(0);
    const keepSecret = (secret: string): void => secrets.pass(secret);
    const ids = { runId: planned.runId, uuid: () => planned.uuid(), keepSecret };
    const own = api.forSession?.(number, unobserved, ids) ?? api;
    const id = await createIn(own, (request) => sender.send({ ...request, fields: text }, systemClock.now()));
    if (typeof id === 'string') sessions.push({ turns: rawTurns(resolved, baseUrl, number, own.converse(id)) });
    else if (id.outcome !== 'aborted')
      refused ??= { ...id, detail: safeDetail(id.detail, (detail) => secrets.redact(detail)) };
  };
  const first = before.length + 1;
  try {
    await Promise.all(Array.from({ length: count - before.length }, (_, index) => limit(create, first + index)));
  } finally {
    stop.removeEventListener('abort', cut);
    await sender.close();
  }
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

/** Maximum number of prepared turns per session, which are repeated. */
const maxPrepared = 50;

/**
 * Prepares the first turns of a session, so that no function of the scenario is called inside autocannon. Only the first one
 * of a custom protocol is known before its reply.
 */
function rawTurns(resolved: ResolvedScenario, baseUrl: URL, number: number, conversation: Conversation): RawTurn[] {
  const { plan, script } = resolved;
  const planned = planSession(script, number);
  const known = protocolName(script.protocol.name) === undefined ? 1 : planned.foreseen;
  return Array.from({ length: Math.min(known, maxPrepared) }, (_, index): RawTurn => {
    const turn = index + 1;
    const content = { message: planned.message(turn), variableValues: planned.variableValues(turn) ?? '' };
    const { route, body } = conversation.request({ ...content, session: number, turn });
    if (route.stream?.framing === 'aws-event-stream')
      throw usageError('calibrate cannot read streams of binary frames.', 'Omit --stream.');
    const { pathname, search } = urlOf(baseUrl, route);
    return {
      method: route.method,
      path: pathname + search,
      headers: lowerCase({ ...route.headers, ...script.headers.constant, ...planned.headers(turn).fields }),
      body,
      read: (status, text) => conversation.read(receivedBy(route, status, text, plan.maxEventBytes)),
    };
  });
}

/** Returns header fields with names in lower case; of equal names the last one. */
export function lowerCase(fields: HeaderFields): HeaderFields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Returns a whole response as its conversation reads it: the events of a streamed reply, or its body. */
function receivedBy({ stream }: ChatRequest['route'], status: number, body: string, maxEventBytes: number): Received {
  const received: Received = { failure: undefined, detail: '', isUtf8: true, status, body };
  if (stream === undefined || (status !== 200 && status !== 201)) return received;
  const reply = beginReply(stream, { now: systemClock.now(), maxEventBytes, isAnnounced: true });
  const bytes = Buffer.from(body);
  reply.take(bytes, 0, bytes.length);
  reply.end();
  return { ...received, body: '', stream: reply.reply };
}
