import type { IncomingMessage, ServerResponse } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';
import { describeService } from './describe-service.ts';
import type { Router } from './routes.ts';
import { sendJson } from './send-json.ts';
import type { ServiceContext } from './service-context.ts';
import { statsOf } from './stats.ts';

/**
 * `GET /`: the routes of the service; `GET /stats` and `GET /ledger/:sessionId`: what it did and what it remembers,
 * for this machine alone.
 */
export function addInspection(router: Router, room: ServiceContext): void {
  const show = (path: string, look: (params: Params) => Shown): void =>
    router.on('GET', path, (request, response, params) => answer(request, response, () => look(params)));
  router.on('GET', '/', (_request, response) => sendJson(response, 200, describeService()));
  show('/stats', () => [200, statsOf(room)]);
  show('/ledger/:sessionId', ({ sessionId = '' }) => lookUp(room, sessionId));
}

type Params = Readonly<Record<string, string | undefined>>;
type Shown = readonly [status: number, document: object];

function answer(request: IncomingMessage, response: ServerResponse, look: () => Shown): void {
  sendJson(response, ...(isFromHere(request.socket.remoteAddress) ? look() : refusal));
}

function lookUp(room: ServiceContext, sessionId: string): Shown {
  const session = room.sessions.find(sessionId);
  if (session === undefined) return [404, { success: false, error: 'Session not found' }];
  const { id, agentId, conversation } = session;
  const { count, forgotten } = conversation;
  return [200, { sessionId: id, agentId, count, forgotten, turns: conversation.remembered() }];
}

const refusal: Shown = [403, { success: false, error: 'Only from this machine' }];

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/** Whether a client's address is one of this machine's own (loopback). */
const isFromHere = (address: string | undefined): boolean =>
  address !== undefined && loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
