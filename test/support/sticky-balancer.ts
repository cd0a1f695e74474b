import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A load balancer with cookie affinity, as observed by its backends. */
export interface StickyBalancer {
  baseUrl: string;
  /** The heads of requests, in order. */
  readonly heads: { url: string; headers: IncomingMessage['headers']; raw: string[] }[];
  /** Messages received by a backend which had not created their session. */
  readonly strangers: number;
}

interface BalancerOptions {
  /** Cookie that selects a backend; its name is the prefix. */
  cookie?: (backend: number) => string[];
}

/**
 * Two backends, each with its own sessions, behind a balancer that distributes clients without a cookie in turn. Runs for
 * one test.
 */
export async function openStickyBalancer({ cookie = pathCookie }: BalancerOptions = {}): Promise<StickyBalancer> {
  const backends = [new Backend(), new Backend()];
  const heads: StickyBalancer['heads'] = [];
  const counts = { dealt: 0, strangers: 0 };
  const server = createServer((request, response) => {
    heads.push({ url: request.url ?? '', headers: request.headers, raw: request.rawHeaders });
    const kept = /(?:^|; )lb=(\d)/.exec(request.headers.cookie ?? '')?.[1];
    const number = kept === undefined ? counts.dealt++ % backends.length : Number(kept);
    if (kept === undefined) response.setHeader('Set-Cookie', cookie(number));
    void readBody(request).then((body) => {
      if (backends[number]?.answer(body, response) === 'stranger') counts.strangers++;
    });
  });
  await listen(server);
  return {
    baseUrl: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    heads,
    get strangers() {
      return counts.strangers;
    },
  };
}

const pathCookie = (backend: number): string[] => [`lb=${String(backend)}; Path=/; HttpOnly`];

async function listen(server: Server): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return JSON.parse(text) as Record<string, unknown>;
}

let sessions = 0;

/** Speaks chat-messaging, and accepts only sessions that it has created. */
class Backend {
  readonly #sessions = new Set<string>();

  answer({ sessionId, message }: Record<string, unknown>, response: ServerResponse): 'known' | 'stranger' {
    if (message === undefined) {
      const created = `session-${String(++sessions)}`;
      this.#sessions.add(created);
      reply(response, 201, { success: true, data: { sessionId: created } });
      return 'known';
    }
    if (typeof sessionId !== 'string' || !this.#sessions.has(sessionId)) {
      reply(response, 404, { success: false, error: 'Session not found' });
      return 'stranger';
    }
    reply(response, 200, { success: true, data: dataOf(sessionId) });
    return 'known';
  }
}

let chats = 0;
const dataOf = (sessionId: string) => ({
  response: 'Hello.',
  chatId: `chat-${String(++chats)}`,
  sessionId,
  isSession: true,
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
});

function reply(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}
