import { randomUUID } from 'node:crypto';
import { newId, type Problem } from './model-api.ts';
import type { KeptAt } from './make-reply.ts';
import { joinTurns, turnsOf, turnsUntil } from '../conversation/transcript.ts';
import type { EarlierTurns, NewTurn } from '../conversation/conversation.ts';
import type { ServiceContext } from '../exchange/service-context.ts';
import type { StoredSession, TurnQueue } from '../conversation/session-store.ts';

/** A conversation that the service keeps. */
export interface Recalled {
  earlier: EarlierTurns;
  /** Messages to one conversation are served one after the other; responses after the same one are not. */
  queue: TurnQueue | undefined;
  /**
   * Stores the turn, unless it only contained a tool's result, and the turns before it that its request added; returns the id
   * of the response.
   */
  remember(turn: NewTurn | undefined, added: EarlierTurns): string;
}

/**
 * Finds the conversation that a request continues. A chain of responses is a session; a branch continues in a copy. The
 * latest response on a socket is also found if it is not stored.
 */
export function recall(
  context: ServiceContext,
  agentId: string,
  { socket, ...kept }: KeptAt & { socket: string | undefined },
): Recalled | Problem {
  if (kept.conversationId !== undefined) return recallConversation(context, agentId, kept.conversationId);
  const onSocket = context.chains.take(socket, kept.responseId);
  const at = kept.responseId === undefined ? undefined : readResponseId(kept.responseId);
  const session = at && context.sessions.find(at.sessionId);
  if (kept.responseId !== undefined && onSocket === undefined && session?.agentId !== agentId)
    return responseNotFound(kept.responseId);
  if (session !== undefined) context.sessions.touch(session);
  const turns = at?.turns ?? 0;
  const stored = session === undefined ? turnsOf([]) : turnsUntil(session.conversation, turns);
  const earlier = onSocket ?? stored;
  const chain = (): StoredSession =>
    session?.conversation.count === turns ? session : branchOff(context, agentId, earlier);
  const remember: Recalled['remember'] = (turn, added) => {
    if (kept.isStored) return keep(context, withTurns(context, chain(), added), turn);
    return socket === undefined ? newId('resp_') : context.chains.keep(socket, joinTurns(earlier, added), turn);
  };
  return { earlier, queue: undefined, remember };
}

function recallConversation(context: ServiceContext, agentId: string, conversationId: string): Recalled | Problem {
  const session =
    conversationId === 'new'
      ? context.sessions.create(agentId)
      : context.sessions.find(readConversationId(conversationId) ?? '');
  // A conversation is created without an agent.
  if (session === undefined || !['', agentId].includes(session.agentId))
    return { status: 404, message: `Conversation with id '${conversationId}' not found.`, param: 'conversation' };
  context.sessions.touch(session);
  const remember: Recalled['remember'] = (turn, added) => keep(context, withTurns(context, session, added), turn);
  return { earlier: session.conversation, queue: session.queue, remember };
}

/** A response's id contains the session of its chain, and the number of turns up to it: nothing else has to be kept. */
function keep(context: ServiceContext, session: StoredSession, turn: NewTurn | undefined): string {
  if (turn !== undefined) context.sessions.addTurn(session, turn);
  const turns = session.conversation.count.toString(16).padStart(6, '0');
  return `resp_${session.id.replaceAll('-', '')}${turns}${randomUUID().slice(0, 8)}`;
}

function branchOff(context: ServiceContext, agentId: string, earlier: EarlierTurns): StoredSession {
  return withTurns(context, context.sessions.create(agentId), earlier);
}

function withTurns(context: ServiceContext, session: StoredSession, added: EarlierTurns): StoredSession {
  for (const { message, response, createdAt } of added.remembered())
    context.sessions.copyTurn(session, { message, response, createdAt });
  return session;
}

const responseNotFound = (id: string): Problem => ({
  status: 400,
  message: `Previous response with id '${id}' not found.`,
  param: 'previous_response_id',
  code: 'previous_response_not_found',
});

function readResponseId(id: string): { sessionId: string; turns: number } | undefined {
  const [, session, turns] = /^resp_([0-9a-f]{32})([0-9a-f]{6,})[0-9a-f]{8}$/.exec(id) ?? [];
  return session === undefined || turns === undefined
    ? undefined
    : { sessionId: dashed(session), turns: Number.parseInt(turns, 16) };
}

/** Returns the id of the conversation that a session is. */
export function conversationIdOf(sessionId: string): string {
  return `conv_${sessionId.replaceAll('-', '')}`;
}

/** Returns the session that a conversation is; `undefined` for a text that is no id of one. */
function readConversationId(id: string): string | undefined {
  const [, session] = /^conv_([0-9a-f]{32})$/.exec(id) ?? [];
  return session === undefined ? undefined : dashed(session);
}

/** Returns the conversation that a reply's id belongs to. */
export function conversationOfReply(id: string): string {
  return `conv_${id.slice('resp_'.length, 'resp_'.length + 32)}`;
}

const dashed = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
