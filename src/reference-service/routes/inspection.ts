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
 * Adds `GET /`: the routes of the service; `GET /v1/models`: its agents; `GET /stats` and `GET /ledger/:sessionId`: its
 * statistics and stored turns, for this machine alone.
 */
export function addInspection(router: Router, context: ServiceContext, apis: ServedApis): void {
  const show = (path: string, find: (params: Params) => Found): void =>
    router.on('GET', path, (request, response, params) => answer(request, response, () => find(params)));
  router.on('GET', '/', (_request, response) => sendJson(response, 200, describeService(apis)));
  router.on('GET', modelsPath, ({ headers }, response) => {
    const { status, body } = listModels(context, apis, headers);
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(body);
  });
  show('/stats', () => statsOf(context));
  show('/ledger/:sessionId', ({ sessionId = '' }) => ledgerOf(context, sessionId));
}

/** Returns the turns that a session remembers; `undefined` if the session does not exist. */
function ledgerOf(context: ServiceContext, sessionId: string): object | undefined {
  const session = context.sessions.find(sessionId);
  if (session === undefined) return undefined;
  const { id, agentId, conversation } = session;
  const { count, forgotten } = conversation;
  return { sessionId: id, agentId, count, forgotten, turns: conversation.remembered() };
}

type Params = Readonly<Record<string, string | undefined>>;
/** `undefined`: the session does not exist. */
type Found = object | undefined;

function answer(request: IncomingMessage, response: ServerResponse, find: () => Found): void {
  const refuse = (status: number, error: string): void => sendJson(response, status, { success: false, error });
  if (!isFromHere(request.socket.remoteAddress)) return refuse(403, 'Only from this machine');
  const found = find();
  if (found === undefined) refuse(404, 'Session not found');
  else sendJson(response, 200, found);
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/** Reports whether a client's address is a loopback address. */
const isFromHere = (address: string | undefined): boolean =>
  address !== undefined && loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

const modelsPath = '/v1/models';

/** Lists the agents of a key's account in the form of the API that the headers belong to. */
function listModels(
  context: ServiceContext,
  apis: ServedApis,
  headers: IncomingHttpHeaders,
): Pick<Delivery, 'status' | 'body'> {
  const listing = Object.values(apis).filter(({ models }) => models?.isFor(headers) === true);
  const { keyIn, models } = listing.at(-1) ?? {};
  if (keyIn === undefined || models === undefined) throw new Error('no API lists models');
  const caller = context.directory.caller(keyIn(headers));
  if (isRefused(caller)) return models.refuse(caller);
  const ids = context.directory.agentsOf(caller).map(({ id }) => id);
  return { status: 200, body: JSON.stringify(models.list(ids, context.clock.wallNow())) };
}

interface ServiceRoute {
  /** `UPGRADE`: a GET that requests a WebSocket. */
  method: 'GET' | 'POST' | 'UPGRADE';
  path: string;
  meaning: string;
  /** An example. */
  body?: object;
}

/** Returns the routes of the service, for `GET /` and the docs. */
export function serviceRoutes(apis: ServedApis): readonly ServiceRoute[] {
  return [
    { method: 'GET', path: '/', meaning: 'This description: routes, and the kinds of faults and sabotage' },
    ...Object.values(apis)
      .flatMap(({ endpoints }) => Object.values(endpoints))
      .map(({ path, shownPath = path, meaning, body }) => ({
        method: 'POST' as const,
        path: shownPath,
        meaning,
        body,
      })),
    ...Object.values(apis).flatMap(({ socket }) =>
      socket === undefined ? [] : [{ method: 'UPGRADE' as const, path: socket.path, meaning: socket.meaning }],
    ),
    {
      method: 'GET',
      path: modelsPath,
      meaning:
        "The agents of the key's account, in OpenAI's list format, or in Anthropic's if `anthropic-version` is sent",
    },
    {
      method: 'GET',
      path: '/stats',
      meaning: 'Statistics: counts, latency, connections, queue; only from this machine',
    },
    { method: 'GET', path: '/ledger/ID', meaning: 'The stored turns of a session; only from this machine' },
  ];
}

/** Describes the service, for `GET /`. */
function describeService(apis: ServedApis) {
  return {
    service: 'the reference service of chat-load',
    order: 'Messages of one session are answered one after another, in order of arrival; sessions in parallel.',
    config:
      'chat-load serve --config FILE, or `embedded` of a scenario: { "latency": "200ms", "faults": [...], "sabotage": [...] }',
    when: 'Each fault and sabotage takes one of share (0 to 1), every (n-th) and first (n), and window { from, to } since the start.',
    routes: serviceRoutes(apis),
    faults: kindNotes(faultTable),
    sabotage: kindNotes(sabotageTable),
  };
}
