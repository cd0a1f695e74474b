import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { EmbeddedOptions } from '../../src/scenario/embedded.ts';
import { messagesPath } from '../../src/protocol/chat-messaging/api.ts';
import { openService } from './reference-client.ts';
import { listenInTest } from './listen-in-test.ts';

/** A request on its way to the reference service. */
export interface Passing {
  isMessage: boolean;
  /** Without `Bearer `. */
  key: string;
  /** The JSON of the body. */
  fields: Record<string, unknown>;
}

/** A response before it is sent; `body` is sent as JSON unless it is text. */
export interface Returning {
  status: number;
  contentType: string;
  body: unknown;
}

/** Faults of a service: changes messages in place, or answers by itself. */
export interface Spoiling {
  onWay?: (passing: Passing) => Returning | undefined;
  onReturn?: (returning: Returning, passing: Passing) => void;
}

/** Opens the reference service behind a proxy with one fault, for one test; returns its base URL. */
export async function openSpoiled(spoiling: Spoiling, options: EmbeddedOptions = {}): Promise<string> {
  const { baseUrl } = await openService(options);
  const server = createServer((incoming, response) => {
    void pass(incoming, response, { baseUrl, spoiling });
  });
  return listenInTest(server);
}

async function pass(
  incoming: IncomingMessage,
  response: ServerResponse,
  { baseUrl, spoiling }: { baseUrl: string; spoiling: Spoiling },
): Promise<void> {
  const passing: Passing = {
    isMessage: incoming.url === messagesPath,
    key: (incoming.headers.authorization ?? '').replace('Bearer ', ''),
    fields: JSON.parse(await text(incoming)) as Record<string, unknown>,
  };
  const returning = spoiling.onWay?.(passing) ?? (await forward(`${baseUrl}${incoming.url ?? ''}`, passing));
  spoiling.onReturn?.(returning, passing);
  const { status, contentType, body } = returning;
  response.writeHead(status, { 'content-type': contentType });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

async function forward(url: string, { key, fields }: Passing): Promise<Returning> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const sent = request(url, { method: 'POST', headers, agent: false });
  sent.end(JSON.stringify(fields));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const body: unknown = JSON.parse(await text(response));
  return { status: response.statusCode ?? 0, contentType: response.headers['content-type'] ?? '', body };
}
