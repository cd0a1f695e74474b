import type { StoredSession } from '../../conversation/session-store.ts';

interface MessageReply {
  session: StoredSession;
  response: string;
  chatId: string;
  createdAt: string;
  updatedAt: string;
}

/** The body of a good reply. Concatenated as text: the conversation is JSON text already, and this runs for every message. */
export function replyBody(reply: MessageReply, options: { costPerTurn: number; conversationTurns: number }): string {
  const { session, response, chatId, createdAt, updatedAt } = reply;
  return (
    `{"success":true,"data":{"response":${JSON.stringify(response)},"chatId":"${chatId}","sessionId":"${session.id}",` +
    `"isSession":true,"createdAt":"${createdAt}","updatedAt":"${updatedAt}","cost":${String(options.costPerTurn)},` +
    `"conversation":[${session.conversation.latest(options.conversationTurns)}]}}`
  );
}
