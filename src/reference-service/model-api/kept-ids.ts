import { randomUUID } from 'node:crypto';

/** A response's id says which session has its chain, and the number of turns up to it: nothing else has to be kept. */
export function newResponseId(sessionId: string, turns: number): string {
  return `resp_${sessionId.replaceAll('-', '')}${turns.toString(16).padStart(6, '0')}${randomUUID().slice(0, 8)}`;
}

export function readResponseId(id: string): { sessionId: string; turns: number } | undefined {
  const [, session, turns] = /^resp_([0-9a-f]{32})([0-9a-f]{6,})[0-9a-f]{8}$/.exec(id) ?? [];
  return session === undefined || turns === undefined
    ? undefined
    : { sessionId: dashed(session), turns: Number.parseInt(turns, 16) };
}

/** A conversation is a session. */
export function conversationIdOf(sessionId: string): string {
  return `conv_${sessionId.replaceAll('-', '')}`;
}

export function readConversationId(id: string): string | undefined {
  const [, session] = /^conv_([0-9a-f]{32})$/.exec(id) ?? [];
  return session === undefined ? undefined : dashed(session);
}

const dashed = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
