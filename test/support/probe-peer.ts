import { randomUUID } from 'node:crypto';
import { openPeer, response, type Arrival, type Peer } from './http-peer.ts';

/** The reply to a message that keeps the contract, as a whole response. */
export function replyTo({ text }: Arrival, lines: string[] = []): string {
  const sessionId = /"sessionId":"([^"]+)"/.exec(text)?.[1];
  const when = '2026-01-01T00:00:00.000Z';
  const data = { response: 'Yes.', chatId: randomUUID(), sessionId, isSession: true, createdAt: when, updatedAt: when };
  return response(JSON.stringify({ success: true, data }), { lines });
}

export interface ChatPeer extends Peer {
  baseUrl: string;
  /** Messages received, without the creations. */
  messages: Arrival[];
}

/** Opens a chat service that creates sessions and answers messages as the test decides. */
export async function openChatPeer(answer: (arrival: Arrival) => void): Promise<ChatPeer> {
  const messages: Arrival[] = [];
  const peer = await openPeer((arrival) => {
    if (arrival.text.includes('/chat/messages ')) {
      messages.push(arrival);
      answer(arrival);
    } else {
      const sessionId = `s-${String(arrival.number)}`;
      const body = JSON.stringify({ success: true, data: { sessionId } });
      arrival.socket.write(response(body, { status: '201 Created' }));
    }
  });
  return { ...peer, baseUrl: `http://127.0.0.1:${String(peer.port)}`, messages };
}

/** Answers one message at a time, each after this many milliseconds: never more than 1000 / serviceMs a second. */
export function oneAtATime(serviceMs: number): (arrival: Arrival) => void {
  const waiting: Arrival[] = [];
  const serve = (): void => {
    setTimeout(() => {
      const arrival = waiting.shift();
      if (arrival !== undefined) arrival.socket.write(replyTo(arrival));
      if (waiting.length > 0) serve();
    }, serviceMs);
  };
  return (arrival) => {
    waiting.push(arrival);
    if (waiting.length === 1) serve();
  };
}
