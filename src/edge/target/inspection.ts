import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { BlockList, isIPv6 } from 'node:net';
import { describeService } from './describe-service.ts';
import type { ServiceRoom } from './service-room.ts';
import { statsOf } from './stats.ts';

/**
 * `GET /`: what can be asked of the service; `GET /stats` and `GET /ledger/:sessionId`: what it did and what it remembers,
 * for this machine alone.
 */
export function addInspection(app: FastifyInstance, room: ServiceRoom): void {
  app.get('/', describeService);
  app.get('/stats', { onRequest: refuseStrangers }, () => statsOf(room));
  app.get<{ Params: { sessionId: string } }>('/ledger/:sessionId', { onRequest: refuseStrangers }, (request, reply) => {
    const session = room.sessions.find(request.params.sessionId);
    if (session === undefined) return reply.code(404).send({ success: false, error: 'Session not found' });
    const { id, agentId, conversation } = session;
    const { count, forgotten } = conversation;
    return { sessionId: id, agentId, count, forgotten, turns: conversation.remembered() };
  });
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

async function refuseStrangers(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (loopback.check(request.ip, isIPv6(request.ip) ? 'ipv6' : 'ipv4')) return;
  await reply.code(403).send({ success: false, error: 'Only from this machine' });
}
