import { ms } from '../../base/time.ts';
import { isCredential } from '../../base/header-field.ts';
import type { ChatApi, ChatProtocol, HeaderFields, OwnSession, ProtocolTarget, Verdict } from '../protocol.ts';
import { AuthorError, callAuthor, scenarioError } from './author-error.ts';
import { messageComposer, bodyText, fillPath, headersOf, namesIn } from './compose-message.ts';
import { DefinedConversation, type Shared } from './defined-conversation.ts';
import { DefinedSession, stepOf, type SessionRules } from './defined-session.ts';
import { streamFormat } from './stream-format.ts';
import type {
  ApiDefinition,
  CreationDefinition,
  CreationParts,
  ReplyDefinition,
  SocketDefinition,
  StreamDefinition,
} from './definition.ts';
import { headerProblem, jsonFields, wantedHeaders, withFields, mergeCookies } from './header-fields.ts';
import { compileInstructions } from '../instructions.ts';
import { laterRules } from './polled-reply.ts';
import { defaultEveryMs, pollerOf, Routes } from './poller.ts';
import { errorReader, judgeResponse } from './judge-response.ts';
import { replyReader, idReader, type IdReader } from './read-reply.ts';
import { refused } from '../classify-whole.ts';
import { socketApi, unobserved } from '../socket-api.ts';
import { listenRules } from './session-stream.ts';
import { SocketSession, type SocketShared } from './socket-conversation.ts';
import { frameRules } from './socket-reply.ts';

/** Returns the protocol of a validated definition. */
export function definedProtocol(definition: ApiDefinition | SocketDefinition): ChatProtocol {
  return definition.transport === 'websocket' ? socketProtocol(definition) : httpProtocol(definition);
}

function socketProtocol(definition: SocketDefinition): ChatProtocol {
  const { name = 'defined', history = 'service', authorize = bearer } = definition;
  return {
    name,
    history,
    transport: 'websocket',
    streamsOnly: true,
    createsSessions: () => true,
    authorize: (apiKey) => orScenarioError(() => authorizeBy(authorize, apiKey)),
    open: (target) => orScenarioError(() => openSockets(definition, target)),
  };
}

const lacksSession = ({ history, cookies, createSession, reply, stream }: ApiDefinition): boolean =>
  history !== 'client' &&
  cookies !== true &&
  [createSession, reply?.sessionId, stream?.sessionId].every((source) => source === undefined);

function openSockets(definition: SocketDefinition, { agentId, auth, instructions }: ProtocolTarget): ChatApi {
  const shared: SocketShared = {
    agentId,
    auth,
    stream: true,
    keepsHistory: definition.history === 'client',
    chainsIds: definition.read.chainsIds === true,
    instructions: compileInstructions(instructions),
    definition,
    rules: frameRules(definition),
    routes: {
      create: new Routes({ operation: 'create', method: 'GET' }),
      message: new Routes({ operation: 'message', method: 'GET' }),
    },
  };
  const forSession: NonNullable<ChatApi['forSession']> = (number, observer) =>
    orScenarioError(() => new SocketSession(shared, number, observer));
  return socketApi(forSession);
}

function httpProtocol(definition: ApiDefinition): ChatProtocol {
  const { name = 'defined', history = 'service', authorize = bearer, reply, stream, poll } = definition;
  const { poll: polls = poll, listen } = reply?.then ?? {};
  const pollEveryMs = polls && ms(polls.every ?? defaultEveryMs);
  return {
    name,
    history,
    ...(stream === undefined ? { wholeOnly: true } : {}),
    ...(reply === undefined ? { streamsOnly: true } : {}),
    ...(pollEveryMs === undefined ? {} : { pollEveryMs }),
    ...(listen && { listens: listen.transport ?? 'sse' }),
    ...(reply?.then && { otherOrigins: true }),
    ...(lacksSession(definition) ? { lacksSession: true } : {}),
    createsSessions: () => definition.createSession !== undefined,
    authorize: (apiKey) => orScenarioError(() => authorizeBy(authorize, apiKey)),
    open: (target) => orScenarioError(() => openApi(definition, target)),
  };
}

const bearer = (apiKey: string): HeaderFields => ({ Authorization: `Bearer ${apiKey}` });

function authorizeBy(authorize: (apiKey: string) => HeaderFields, apiKey: string): HeaderFields {
  const fields = callAuthor('authorize', () => authorize(apiKey));
  const problem = headerProblem(fields, ['authorization', 'cookie']);
  if (problem !== undefined) throw new AuthorError('authorize', problem);
  return fields;
}

function orScenarioError<Made>(make: () => Made): Made {
  try {
    return make();
  } catch (thrown) {
    throw thrown instanceof AuthorError ? scenarioError(thrown) : thrown;
  }
}

function openApi(definition: ApiDefinition, target: ProtocolTarget): ChatApi {
  const shared = sharedBy(definition, target);
  const rules = sessionRules(definition, target, shared);
  if (rules === undefined) {
    const create = [definition.createSession ?? []].flat()[0];
    return sharedApi(shared, create && { ...definition, createSession: create }, target);
  }
  const forSession: NonNullable<ChatApi['forSession']> = (number, observer, own = unowned) =>
    orScenarioError(() => new DefinedSession(rules, number, { ...own, observer }));
  const { creation } = forSession(1, unobserved);
  return { creation, converse: (id) => forSession(1, unobserved).converse(id), forSession };
}

/** Returns the rules of sessions with state of their own; `undefined`: all sessions share one creation. */
function sessionRules(
  definition: ApiDefinition,
  { agentId }: ProtocolTarget,
  shared: Shared,
): SessionRules | undefined {
  const { createSession, sessionId: chosenId, message, reply, cookies } = definition;
  const list = [createSession ?? []].flat();
  const fields = [...list, message].map(({ headers }) => headers);
  const sends = fields.some(
    (each) => typeof each === 'function' || (each !== undefined && authorizesBy(each).length > 0),
  );
  const depends = list.some(({ path, values }) => typeof path === 'function' || values !== undefined);
  const isShared = !sends && !depends && chosenId === undefined && list.length < 2;
  if (isShared && reply?.then === undefined) return undefined;
  const hidesId =
    chosenId === undefined &&
    fields.some((each) => typeof each === 'object' && authorizesBy(each).includes('sessionId'));
  const steps = list.map((each) => stepOf(each, cookies));
  return { shared, steps, chosenId, hidesId, agentId, readError: errorReader(definition) };
}

/** Returns the names of the placeholders in fields that may authorize. */
const authorizesBy = (fields: HeaderFields): string[] =>
  Object.entries(fields).flatMap(([name, value]) => (isCredential(name) ? namesIn(value) : []));

/** A session outside a run. */
const unowned: OwnSession = {
  runId: '00000000',
  uuid: () => '00000000-0000-4000-8000-000000000000',
  keepSecret: () => undefined,
};

/** Returns the API whose sessions share one creation. */
function sharedApi(shared: Shared, definition: CreatingDefinition | undefined, target: ProtocolTarget): ChatApi {
  /** Cookies of sessions that were created and have not begun. */
  const cookies = new Map<string, string>();
  const keepCookies = (sessionId: string, set: string): void => {
    if (set !== '') cookies.set(sessionId, set);
  };
  return {
    creation: definition && creationOf(definition, target, keepCookies),
    converse: (sessionId) => {
      const own = cookies.get(sessionId) ?? '';
      cookies.delete(sessionId);
      return new DefinedConversation(shared, sessionId, own);
    },
  };
}

type CreatingDefinition = Omit<ApiDefinition, 'createSession'> & { readonly createSession: CreationDefinition };

/** Returns the shared part of all conversations with a target. */
function sharedBy(definition: ApiDefinition, target: ProtocolTarget): Shared {
  const { history, cookies, message, reply, poll } = definition;
  const stream = target.stream || reply === undefined ? definition.stream : undefined;
  const { poll: polls, listen } = reply?.then ?? {};
  const wanted = polls === undefined ? wantedHeaders(cookies, poll?.url) : [...(wantedHeaders(cookies) ?? []), '*'];
  const readError = errorReader(definition);
  const statesErrors = definition.errors !== undefined;
  return {
    agentId: target.agentId,
    stream: stream !== undefined,
    keepsHistory: history === 'client',
    chainsIds: ((stream && stream.chainsIds) ?? reply?.chainsIds) === true,
    compose: messageComposer(definition, target, withFields(jsonFields, acceptOf(stream ?? reply))),
    routes: new Routes({
      operation: 'message',
      method: message.method ?? 'POST',
      stream: stream && streamFormat(definition, stream),
      wantedHeaders: wanted,
    }),
    instructions: compileInstructions(target.instructions),
    readReply: reply && reply.then === undefined ? replyReader(reply) : undefined,
    repliesAreText: stream === undefined && reply?.format === 'text',
    readError,
    statesErrors,
    listen: listen && listenRules(listen, { errors: definition.errors, reach: target, readError }),
    later:
      reply && polls && laterRules(reply, polls, { reach: target, readError, statesErrors, wantedHeaders: wanted }),
    poller: poll && stream === undefined ? pollerOf(poll, target, wanted) : undefined,
  };
}

const acceptOf = ({ format = 'json' }: Pick<StreamDefinition | ReplyDefinition, 'format'> = {}): HeaderFields =>
  accepted[format];

const accepted: Readonly<Record<NonNullable<(StreamDefinition | ReplyDefinition)['format']>, HeaderFields>> = {
  sse: { Accept: 'text/event-stream' },
  'json-lines': { Accept: 'application/x-ndjson, application/json' },
  text: { Accept: '*/*' },
  json: {},
};

/** Returns the creation of sessions; `onCookies` is called with the cookies of each session. Throws `AuthorError` if the request cannot be made. */
function creationOf(
  definition: CreatingDefinition,
  { agentId }: Pick<ProtocolTarget, 'agentId'>,
  onCookies: (sessionId: string, cookies: string) => void,
): NonNullable<ChatApi['creation']> {
  const { sessionId } = definition.createSession;
  const readId: IdReader = sessionId === undefined ? cookiesAsId : idReader('createSession.sessionId', sessionId);
  const readError = errorReader(definition);
  const needsJson = typeof sessionId === 'string' || typeof sessionId === 'function';
  const judge = (body: unknown, headers: HeaderFields | undefined): Verdict => {
    const id = readId(body, headers);
    if (typeof id !== 'string') return refused('contract_broken', `no session id${id.missing}`);
    onCookies(id, mergeCookies('', headers));
    return { outcome: 'ok', detail: '', reply: { text: '', id, data: body } };
  };
  return {
    request: requestOf(definition, agentId),
    read: (received) =>
      judgeResponse(received, { readError, needsJson, judge: (body) => judge(body, received.headers) }),
  };
}

function requestOf({ cookies, createSession }: CreatingDefinition, agentId: string) {
  const { method = 'POST', path, headers = {}, body = {}, sessionId } = createSession;
  const parts: CreationParts = { agentId, session: 1, sessionId: '', values: {}, replies: [] };
  const made = typeof body === 'function' ? callAuthor('createSession.body', () => body(parts)) : body;
  const route = {
    operation: 'create',
    method,
    path: typeof path === 'string' ? fillPath(path, parts) : '',
    headers: withFields(jsonFields, headersOf('createSession.headers', headers, parts)),
    wantedHeaders: wantedHeaders(cookies, sessionId),
  } as const;
  return { route, body: method === 'GET' ? '' : bodyText('createSession.body', made) };
}

const cookiesAsId: IdReader = (_, headers) => {
  const cookies = mergeCookies('', headers);
  return cookies === '' ? { missing: ': no cookie was set' } : cookies;
};
