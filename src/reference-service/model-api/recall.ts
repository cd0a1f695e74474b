import { randomUUID } from 'node:crypto';
import { newId, type Problem } from './model-api.ts';
import type { KeptAt } from './make-reply.ts';
import { turnsOf, turnsUntil } from '../conversation/transcript.ts';
import type { EarlierTurns, NewTurn } from '../conversation/conversation.ts';
import type { ServiceContext } from '../exchange/service-context.ts';
import type { StoredSession } from '../conversation/session-store.ts';
import type { TurnQueue } from '../conversation/turn-queue.ts';
import { isObject } from '../../base/is-object.ts';
import { readObject } from '../exchange/admit.ts';

/** What the service kept of a conversation. */
export interface Recalled {
  earlier: EarlierTurns;
  /** Messages to one conversation are served one after the other; responses after the same one are not. */
  queue: TurnQueue | undefined;
  /** Keeps the turn, unless it only brought a tool's result; gives the id of the response. */
  remember(turn: NewTurn | undefined): string;
}

/** Finds what a request continues. A chain of responses is a session; one that branches off goes on in a copy. */
export function recall(room: ServiceContext, agentId: string, kept: KeptAt): Recalled | Problem {
  if (kept.conversationId !== undefined) return recallConversation(room, agentId, kept.conversationId);
  const at = kept.responseId === undefined ? undefined : readResponseId(kept.responseId);
  const session = at && room.sessions.find(at.sessionId);
  if (kept.responseId !== undefined && session?.agentId !== agentId) return responseNotFound(kept.responseId);
  if (session !== undefined) room.sessions.touch(session);
  const turns = at?.turns ?? 0;
  const earlier = session === undefined ? turnsOf([]) : turnsUntil(session.conversation, turns);
  const chain = (): StoredSession =>
    session?.conversation.count === turns ? session : branchOff(room, agentId, earlier);
  const remember = (turn: NewTurn | undefined): string => (kept.isStored ? keep(room, chain(), turn) : newId('resp_'));
  return { earlier, queue: undefined, remember };
}

function recallConversation(room: ServiceContext, agentId: string, conversationId: string): Recalled | Problem {
  const session = room.sessions.find(readConversationId(conversationId) ?? '');
  // A conversation is created without an agent.
  if (session === undefined || !['', agentId].includes(session.agentId))
    return { status: 404, message: `Conversation with id '${conversationId}' not found.`, param: 'conversation' };
  room.sessions.touch(session);
  return { earlier: session.conversation, queue: session.queue, remember: (turn) => keep(room, session, turn) };
}

function keep(room: ServiceContext, session: StoredSession, turn: NewTurn | undefined): string {
  if (turn !== undefined) room.sessions.addTurn(session, turn);
  return newResponseId(session.id, session.conversation.count);
}

function branchOff(room: ServiceContext, agentId: string, earlier: EarlierTurns): StoredSession {
  const session = room.sessions.create(agentId);
  for (const { message, response, createdAt } of earlier.remembered())
    room.sessions.copyTurn(session, { message, response, createdAt });
  return session;
}

const responseNotFound = (id: string): Problem => ({
  status: 400,
  message: `Previous response with id '${id}' not found.`,
  param: 'previous_response_id',
  code: 'previous_response_not_found',
});

/** A response's id says which session has its chain, and the number of turns up to it: nothing else has to be kept. */
function newResponseId(sessionId: string, turns: number): string {
  return `resp_${sessionId.replaceAll('-', '')}${turns.toString(16).padStart(6, '0')}${randomUUID().slice(0, 8)}`;
}

function readResponseId(id: string): { sessionId: string; turns: number } | undefined {
  const [, session, turns] = /^resp_([0-9a-f]{32})([0-9a-f]{6,})[0-9a-f]{8}$/.exec(id) ?? [];
  return session === undefined || turns === undefined
    ? undefined
    : { sessionId: dashed(session), turns: Number.parseInt(turns, 16) };
}

/** A conversation is a session. */
export function conversationIdOf(sessionId: string): string {
  return `conv_${sessionId.replaceAll('-', '')}`;
}

function readConversationId(id: string): string | undefined {
  const [, session] = /^conv_([0-9a-f]{32})$/.exec(id) ?? [];
  return session === undefined ? undefined : dashed(session);
}

const dashed = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

/** The session that the body of a request for a response continues; `undefined`: none. */
export function keptSessionIn(body: string | undefined): string | undefined {
  const { previous_response_id: previous, conversation } = readObject(body ?? '') ?? {};
  const id = isObject(conversation) ? conversation['id'] : conversation;
  if (typeof id === 'string') return readConversationId(id);
  return typeof previous === 'string' ? readResponseId(previous)?.sessionId : undefined;
}
