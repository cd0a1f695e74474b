import { connect } from 'node:net';
import { embeddedDefaults } from '../../src/scenario/embedded.ts';

/** An event as sent: its type ('' if there is none), and its data, parsed if it is JSON. */
export interface SentEvent {
  type: string;
  data: Record<string, unknown> & { text?: string };
}

/** Request body of each API for one streamed message. */
export const streamBodies = {
  '/v1/chat/completions': (content: string, more: object = {}) => ({
    model: embeddedDefaults.agentId,
    messages: [{ role: 'user', content }],
    stream: true,
    ...more,
  }),
  '/v1/responses': (input: string, more: object = {}) => ({
    model: embeddedDefaults.agentId,
    input,
    stream: true,
    ...more,
  }),
  '/v1/messages': (content: string, more: object = {}) => ({
    model: embeddedDefaults.agentId,
    max_tokens: 1000,
    messages: [{ role: 'user', content }],
    stream: true,
    ...more,
  }),
};
export type StreamPath = keyof typeof streamBodies;
export const streamPaths = Object.keys(streamBodies) as StreamPath[];

/** Posts on a new connection and reads until it ends; `error` is the code of a broken connection. */
export async function postStream(
  baseUrl: string,
  path: StreamPath,
  body: object,
): Promise<{ head: string; events: SentEvent[]; isWhole: boolean; error: string | undefined }> {
  const { received, error } = await postRaw(baseUrl, path, body);
  const at = received.indexOf('\r\n\r\n');
  const { text, isWhole } = dechunk(received.slice(at + 4));
  return { head: received.slice(0, at), events: eventsIn(text), isWhole, error };
}

/** The pieces of text in the events of an API. */
export function piecesIn(events: readonly SentEvent[]): string[] {
  return events.flatMap(({ data }) => {
    const { delta, choices } = data as {
      delta?: string | { text?: string };
      choices?: { delta: { content?: string } }[];
    };
    const piece = typeof delta === 'string' ? delta : (delta?.text ?? choices?.[0]?.delta.content);
    return piece === undefined || piece === '' ? [] : [piece];
  });
}

/** The events of a stream that is complete. */
function eventsIn(text: string): SentEvent[] {
  const blocks = text.split('\n\n').slice(0, -1);
  return blocks.map((block) => {
    const type = /^event: (.*)$/m.exec(block)?.[1] ?? '';
    const data = /^data: (.*)$/m.exec(block)?.[1] ?? '';
    return { type, data: data === '[DONE]' ? { text: data } : (JSON.parse(data) as SentEvent['data']) };
  });
}

function postRaw(
  baseUrl: string,
  path: string,
  body: object,
): Promise<{ received: string; error: string | undefined }> {
  const { hostname, port } = new URL(baseUrl);
  const content = JSON.stringify(body);
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(Number(port), hostname);
    socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk));
    socket.on('end', () => resolve({ received, error: undefined }));
    socket.on('error', (error: NodeJS.ErrnoException) => resolve({ received, error: error.code }));
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${embeddedDefaults.apiKey}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${String(Buffer.byteLength(content))}\r\n\r\n${content}`,
    );
  });
}

function dechunk(body: string): { text: string; isWhole: boolean } {
  let text = '';
  for (let rest = body; ;) {
    const at = rest.indexOf('\r\n');
    const size = Number.parseInt(rest.slice(0, at), 16);
    if (at === -1 || !(size > 0)) return { text, isWhole: size === 0 };
    text += rest.slice(at + 2, at + 2 + size);
    rest = rest.slice(at + 2 + size + 2);
  }
}
