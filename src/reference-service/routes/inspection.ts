import type { IncomingMessage, ServerResponse } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';
import { describeService } from './describe-service.ts';
import type { Router } from './routes.ts';
import { sendJson } from '../http/send-json.ts';
import type { ServiceContext } from '../exchange/service-context.ts';
import { statsOf } from '../exchange/stats.ts';

/**
 * `GET /`: the routes of the service; `GET /stats` and `GET /ledger/:sessionId`: what it did and what it remembers,
 * for this machine alone.
 */
export function addInspection(router: Router, room: ServiceContext): void {
  const show = (path: string, look: (params: Params) => Looked): void =>
    router.on('GET', path, (request, response, params) => answer(request, response, () => look(params)));
  router.on('GET', '/', (_request, response) => sendJson(response, 200, describeService()));
  show('/stats', () => room.peers?.stats() ?? statsOf(room));
  show('/ledger/:sessionId', ({ sessionId = '' }) => room.peers?.ledger(sessionId) ?? ledgerOf(room, sessionId));
}

/** The turns that a session of this process remembers; `undefined`: there is no such session. */
export function ledgerOf(room: ServiceContext, sessionId: string): object | undefined {
  const session = room.sessions.find(sessionId);
  if (session === undefined) return undefined;
  const { id, agentId, conversation } = session;
  const { count, forgotten } = conversation;
  return { sessionId: id, agentId, count, forgotten, turns: conversation.remembered() };
}

type Params = Readonly<Record<string, string | undefined>>;
/** `undefined`: there is no such session. */
type Looked = object | undefined | Promise<object | undefined>;

function answer(request: IncomingMessage, response: ServerResponse, look: () => Looked): void {
  if (!isFromHere(request.socket.remoteAddress)) return sendJson(response, 403, refusal);
  const show = (seen: object | undefined): void =>
    seen === undefined ? sendJson(response, 404, sessionNotFound) : sendJson(response, 200, seen);
  const looked = look();
  if (!(looked instanceof Promise)) show(looked);
  // The service has lost one of its processes, and ends.
  else looked.then(show, () => response.destroy());
}

const refusal = { success: false, error: 'Only from this machine' };
const sessionNotFound = { success: false, error: 'Session not found' };

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/** Whether a client's address is one of this machine's own (loopback). */
const isFromHere = (address: string | undefined): boolean =>
  address !== undefined && loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
