import type { ChatApi, ChatProtocol, HeaderFields, ProtocolTarget, Verdict } from '../protocol.ts';
import { AuthorError, callAuthor, scenarioError } from './author-error.ts';
import { messageComposer, bodyText, fillPath } from './compose-message.ts';
import { DefinedConversation, type Shared } from './defined-conversation.ts';
import { streamFormat } from './defined-stream.ts';
import type {
  ApiDefinition,
  CreationDefinition,
  ReplyDefinition,
  SocketDefinition,
  StreamDefinition,
} from './definition.ts';
import { headerProblem, jsonFields, wantedHeaders, withFields, mergeCookies } from './header-fields.ts';
import { compileInstructions } from '../instructions.ts';
import { pollerOf, Routes } from './poller.ts';
import { errorReader, judgeResponse } from './judge-response.ts';
import { replyReader, idReader, type IdReader } from './read-reply.ts';
import { refused } from '../classify-whole.ts';
import { socketApi } from '../socket-api.ts';
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
  return {
    name,
    history,
    ...(stream === undefined ? { wholeOnly: true } : {}),
    ...(reply === undefined ? { streamsOnly: true } : {}),
    ...(poll === undefined ? {} : { polls: true }),
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
  const { createSession } = definition;
  /** Cookies of sessions that were created and have not begun. */
  const cookies = new Map<string, string>();
  const keepCookies = (sessionId: string, set: string): void => {
    if (set !== '') cookies.set(sessionId, set);
  };
  const shared = sharedBy(definition, target);
  return {
    creation: createSession && creationOf({ ...definition, createSession }, target, keepCookies),
    converse: (sessionId) => {
      const own = cookies.get(sessionId) ?? '';
      cookies.delete(sessionId);
      return new DefinedConversation(shared, sessionId, own);
    },
  };
}

/** Returns the shared part of all conversations with a target. */
function sharedBy(definition: ApiDefinition, target: ProtocolTarget): Shared {
  const { history, cookies, message, reply, poll } = definition;
  const stream = target.stream || reply === undefined ? definition.stream : undefined;
  const wanted = wantedHeaders(cookies, poll?.url);
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
    readReply: reply && replyReader(reply),
    repliesAreText: stream === undefined && reply?.format === 'text',
    readError: errorReader(definition),
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
  definition: ApiDefinition & { readonly createSession: CreationDefinition },
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

function requestOf(
  { cookies, createSession }: ApiDefinition & { readonly createSession: CreationDefinition },
  agentId: string,
) {
  const { method = 'POST', path, headers = {}, body = {}, sessionId } = createSession;
  const made = typeof body === 'function' ? callAuthor('createSession.body', () => body({ agentId })) : body;
  const route = {
    operation: 'create',
    method,
    path: fillPath(path, { agentId }),
    headers: withFields(jsonFields, headers),
    wantedHeaders: wantedHeaders(cookies, sessionId),
  } as const;
  return { route, body: method === 'GET' ? '' : bodyText('createSession.body', made) };
}

const cookiesAsId: IdReader = (_, headers) => {
  const cookies = mergeCookies('', headers);
  return cookies === '' ? { missing: ': no cookie was set' } : cookies;
};
