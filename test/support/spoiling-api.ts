import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

/** A request on its way to a service that speaks one of the models' APIs. */
export interface ApiRequest {
  /** Whether the request has a key. */
  hasKey: boolean;
  /** '' for none. */
  key: string;
  body: string;
  /** Members of the body; empty if it is not JSON. */
  fields: Record<string, unknown>;
}

/** A complete response before it is sent; `body` is sent as JSON unless it is text. */
export interface ApiResponse {
  status: number;
  contentType: string;
  body: unknown;
}

/** An event of a response. `data` is sent as JSON unless it is a string. */
export interface ApiEvent {
  type: string;
  data: unknown;
}

/** Fault of a service. */
export interface ApiSpoiling {
  /** Changes a request in place, or answers it. */
  onWay?: (asked: ApiRequest) => ApiResponse | undefined;
  /** Changes a complete response in place. */
  onReturn?: (back: ApiResponse, asked: ApiRequest) => void;
  /** Returns the events sent instead of one event. */
  onEvent?: (event: ApiEvent, asked: ApiRequest, index: number) => readonly ApiEvent[];
  /** The content type of streams. */
  streamType?: string;
  /** Sends all events of a stream at once. */
  gathers?: true;
  /** Breaks the connection instead of ending a stream, or leaves the stream open. */
  end?: 'break' | 'hang';
}

/** Opens a proxy in front of a service, with one fault, for one test; returns its base URL. */
export async function openSpoiledApi(serviceUrl: string, spoiling: ApiSpoiling): Promise<string> {
  const server = createServer((incoming, response) => {
    // Either side may break off in the middle: then so does the other.
    pass(incoming, response, { serviceUrl, spoiling }).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

interface Way {
  serviceUrl: string;
  spoiling: ApiSpoiling;
}

async function pass(incoming: IncomingMessage, response: ServerResponse, { serviceUrl, spoiling }: Way): Promise<void> {
  const asked = readRequest(incoming, await text(incoming));
  const early = spoiling.onWay?.(asked);
  if (early !== undefined) return give(response, early);
  const key = 'x-api-key' in incoming.headers ? { 'x-api-key': asked.key } : { authorization: `Bearer ${asked.key}` };
  const sent = request(`${serviceUrl}${incoming.url ?? ''}`, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', ...(asked.hasKey ? key : {}) },
  });
  sent.on('error', () => response.destroy());
  response.on('close', () => sent.destroy());
  sent.end(asked.body);
  const [back] = (await once(sent, 'response')) as [IncomingMessage];
  back.on('error', () => response.destroy());
  const contentType = back.headers['content-type'] ?? '';
  if (contentType.startsWith('text/event-stream')) return stream(back, response, { asked, spoiling });
  const whole: ApiResponse = {
    status: back.statusCode ?? 0,
    contentType,
    body: JSON.parse(await text(back)) as unknown,
  };
  spoiling.onReturn?.(whole, asked);
  give(response, whole);
}

function give(response: ServerResponse, { status, contentType, body }: ApiResponse): void {
  response.writeHead(status, { 'content-type': contentType });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

async function stream(
  back: IncomingMessage,
  response: ServerResponse,
  { asked, spoiling }: { asked: ApiRequest; spoiling: ApiSpoiling },
): Promise<void> {
  response.writeHead(200, { 'content-type': spoiling.streamType ?? 'text/event-stream' });
  let rest = '';
  let index = 0;
  let held = '';
  const write = async (events: readonly ApiEvent[]): Promise<void> => {
    for (const words of events.map(wordEvent))
      if (spoiling.gathers === true) held += words;
      else {
        response.write(words);
        // The client is in this process: it reads before two turns of the loop have passed.
        await turnOfLoop();
        await turnOfLoop();
      }
  };
  for await (const chunk of back.setEncoding('utf8') as AsyncIterable<string>) {
    const parts = (rest + chunk).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const event = readEvent(part);
      await write(spoiling.onEvent?.(event, asked, index++) ?? [event]);
    }
  }
  if (spoiling.end === 'break') response.destroy();
  else if (spoiling.end === undefined) response.end(held);
}

function readRequest({ headers }: IncomingMessage, body: string): ApiRequest {
  const own = headers['x-api-key'];
  const key = typeof own === 'string' ? own : (headers.authorization ?? '').replace('Bearer ', '');
  return { hasKey: key !== '', key, body, fields: fieldsIn(body) };
}

function fieldsIn(body: string): Record<string, unknown> {
  try {
    return JSON.parse(body) as Record<string, unknown>;
  } catch {
    // A rule sends a body that is not JSON.
    return {};
  }
}

function readEvent(part: string): ApiEvent {
  const [, type = ''] = /^event: (.*)$/m.exec(part) ?? [];
  const [, data = ''] = /^data: (.*)$/m.exec(part) ?? [];
  return { type, data: data.startsWith('{') ? (JSON.parse(data) as unknown) : data };
}

function wordEvent({ type, data }: ApiEvent): string {
  const name = type === '' ? '' : `event: ${type}\n`;
  return `${name}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}
