import type { ChatApi, ChatProtocol, HeaderFields, ProtocolTarget } from '../protocol.ts';
import { AuthorError, callAuthor, scenarioError } from './author-error.ts';
import { messageComposer } from './compose-message.ts';
import { creationOf } from './defined-creation.ts';
import { DefinedConversation, type Shared } from './defined-conversation.ts';
import { streamFormat } from './defined-stream.ts';
import type { ApiDefinition, StreamDefinition } from './definition.ts';
import { headerProblem, jsonFields, wantedHeaders, withFields } from './header-fields.ts';
import { compileInstructions } from '../instructions.ts';
import { pollerOf } from './poller.ts';
import { errorReader } from './read-error.ts';
import { replyReader } from './read-reply.ts';
import { Routes } from './routes.ts';

/** The protocol that an author defined; the definition has been checked. */
export function definedProtocol(definition: ApiDefinition): ChatProtocol {
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
  /** Of sessions that were created and have not begun. */
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

/** What all conversations with a target share. */
function sharedBy(definition: ApiDefinition, target: ProtocolTarget): Shared {
  const { history, cookies, message, reply, poll } = definition;
  const stream = target.stream || reply === undefined ? definition.stream : undefined;
  const wanted = wantedHeaders(cookies, poll?.url);
  return {
    agentId: target.agentId,
    stream: stream !== undefined,
    keepsHistory: history === 'client',
    compose: messageComposer(definition, target, withFields(jsonFields, acceptOf(stream))),
    routes: new Routes({
      operation: 'message',
      method: message.method ?? 'POST',
      stream: stream && streamFormat(definition, stream),
      wantedHeaders: wanted,
    }),
    instructions: compileInstructions(target.instructions),
    readReply: reply && replyReader(reply),
    readError: errorReader(definition),
    poller: poll && stream === undefined ? pollerOf(poll, target, wanted) : undefined,
  };
}

const acceptOf = (stream: StreamDefinition | undefined): HeaderFields =>
  stream === undefined
    ? {}
    : { Accept: stream.format === 'sse' ? 'text/event-stream' : 'application/x-ndjson, application/json' };
