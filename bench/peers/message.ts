/** Load of a peer: chat-load's, without session creation. */
export interface PeerLoad {
  baseUrl: string;
  connections: number;
  seconds: number;
}

/** Session id used by peers; the target accepts any. */
export const sessionId = 's-10000000000000';

export function messagesUrl({ baseUrl }: Pick<PeerLoad, 'baseUrl'>): string {
  return `${baseUrl}/api/developer/chat/messages`;
}

/** Returns the body of a turn, of the same size as chat-load's. */
export function composeBody(turn: number): string {
  return JSON.stringify({
    agentId: 'bench',
    message: `Where is order ORD-${String(turn)}? It should have come days ago.`,
    sessionId,
    variableValues: { customerName: 'Ada', orderNumber: `ORD-${String(turn)}` },
  });
}

/** Reports whether a reply belongs to the right session, which parsing peers check. */
export function isAnswered(body: string): boolean {
  const reply = JSON.parse(body) as { data?: { sessionId?: string } };
  return reply.data?.sessionId === sessionId;
}
