import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';
import { faultTable } from '../../scenario/embedded-faults.ts';
import { kindNotes } from '../../scenario/embedded-kinds.ts';
import { sabotageTable } from '../../scenario/embedded-sabotage.ts';
import type { ServedApis } from '../apis/registry.ts';
import { isRefused } from '../exchange/admit.ts';
import type { ServiceContext } from '../exchange/service-context.ts';
import { statsOf } from '../exchange/stats.ts';
import type { Delivery } from '../http/delivery.ts';
import { sendJson } from '../http/write-delivery.ts';
import type { Router } from './routes.ts';

/**
 * `GET /`: the routes of the service; `GET /v1/models`: its agents; `GET /stats` and `GET /ledger/:sessionId`: what it did and what it remembers,
 * for this machine alone.
 */
export function addInspection(router: Router, room: ServiceContext, apis: ServedApis): void {
  const show = (path: string, look: (params: Params) => Looked): void =>
    router.on('GET', path, (request, response, params) => answer(request, response, () => look(params)));
  router.on('GET', '/', (_request, response) => sendJson(response, 200, describeService(apis)));
  router.on('GET', modelsPath, ({ headers }, response) => {
    const { status, body } = listModels(room, apis, headers);
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(body);
  });
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

const modelsPath = '/v1/models';

/** The agents that a key may talk to, as the API lists models that the headers are of. */
function listModels(
  room: ServiceContext,
  apis: ServedApis,
  headers: IncomingHttpHeaders,
): Pick<Delivery, 'status' | 'body'> {
  const listing = Object.values(apis).filter(({ models }) => models?.isFor(headers) === true);
  const { keyIn, models } = listing.at(-1) ?? {};
  if (keyIn === undefined || models === undefined) throw new Error('no API lists models');
  const caller = room.directory.caller(keyIn(headers));
  if (isRefused(caller)) return models.refuse(caller);
  const ids = room.directory.agentsOf(caller).map(({ id }) => id);
  return { status: 200, body: JSON.stringify(models.list(ids, room.clock.wallNow())) };
}

interface ServiceRoute {
  method: 'GET' | 'POST';
  path: string;
  meaning: string;
  /** An example of what is posted. */
  body?: object;
}

/** What can be asked of the service, for `GET /` and the docs. */
export function serviceRoutes(apis: ServedApis): readonly ServiceRoute[] {
  return [
    { method: 'GET', path: '/', meaning: 'This: routes, and the kinds of faults and sabotage' },
    ...Object.values(apis)
      .flatMap(({ endpoints }) => Object.values(endpoints))
      .map(({ path, meaning, body }) => ({ method: 'POST' as const, path, meaning, body })),
    {
      method: 'GET',
      path: modelsPath,
      meaning:
        "The agents of the key's account, as OpenAI lists models, or Anthropic where `anthropic-version` is sent",
    },
    {
      method: 'GET',
      path: '/stats',
      meaning: 'What the service did: counts, latency, connections, queue; only from this machine',
    },
    { method: 'GET', path: '/ledger/ID', meaning: 'The turns that a session remembers; only from this machine' },
  ];
}

/** The description that the service gives of itself. */
function describeService(apis: ServedApis) {
  return {
    service: 'the reference service of chat-load',
    order: 'Messages of one session are answered one after the other, in order of arrival; sessions side by side.',
    config:
      'chat-load serve --config FILE, or `embedded` of a scenario: { "latency": "200ms", "faults": [...], "sabotage": [...] }',
    when: 'Each fault and sabotage takes one of share (0 to 1), every (n-th) and first (n), and window { from, to } since the start.',
    routes: serviceRoutes(apis),
    faults: kindNotes(faultTable),
    sabotage: kindNotes(sabotageTable),
  };
}
