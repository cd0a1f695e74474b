/** The load that a peer is given: that of chat-load, without the creation of sessions. */
export interface PeerLoad {
  baseUrl: string;
  connections: number;
  seconds: number;
}

/** The session that peers speak in: the target answers any. */
export const sessionId = 's-10000000000000';

export function messagesUrl({ baseUrl }: Pick<PeerLoad, 'baseUrl'>): string {
  return `${baseUrl}/api/developer/chat/messages`;
}

/** The body of a turn, of the size that chat-load's own scenario gives. */
export function composeBody(turn: number): string {
  return JSON.stringify({
    agentId: 'bench',
    message: `Where is order ORD-${String(turn)}? It should have come days ago.`,
    sessionId,
    variableValues: { customerName: 'Ada', orderNumber: `ORD-${String(turn)}` },
  });
}

/** What peers that parse look at: that the reply is of the right session. */
export function isAnswered(body: string): boolean {
  const reply = JSON.parse(body) as { data?: { sessionId?: string } };
  return reply.data?.sessionId === sessionId;
}
