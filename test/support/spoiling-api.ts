import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { eventStreamCodec } from '../../src/base/event-stream-codec.ts';
import { eventFrame } from './event-frame.ts';
import { listenInTest } from './listen-in-test.ts';

/** A request on its way to a service. */
export interface ApiRequest {
  /** Path and query. */
  path: string;
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
  /** Picks the requests to which the fault applies. */
  only?: (asked: ApiRequest) => boolean;
  /** Changes a request in place, or answers it. */
  onWay?: (asked: ApiRequest) => ApiResponse | undefined;
  /** Changes a complete response in place. */
  onReturn?: (back: ApiResponse, asked: ApiRequest) => void;
  /** Returns the events sent instead of one event. */
  onEvent?: (event: ApiEvent, asked: ApiRequest, index: number) => readonly ApiEvent[];
  /** The content type of streams. */
  streamType?: string;
  /** The status of streams. */
  streamStatus?: number;
  /** Sends all events of a stream at once. */
  gathers?: true;
  /** Omits the blank lines between server-sent events. */
  omitsBlankLines?: true;
  /** Breaks the connection instead of ending a stream, or leaves the stream open. */
  end?: 'break' | 'hang';
}

/** Opens a proxy in front of a service, with one fault, for one test; returns its base URL. */
export async function openSpoiledApi(serviceUrl: string, spoiling: ApiSpoiling): Promise<string> {
  const server = createServer((incoming, response) => {
    // Either side may break off in the middle: then so does the other.
    pass(incoming, response, { serviceUrl, spoiling }).catch(() => response.destroy());
  });
  return listenInTest(server);
}

interface Way {
  serviceUrl: string;
  spoiling: ApiSpoiling;
}

async function pass(incoming: IncomingMessage, response: ServerResponse, way: Way): Promise<void> {
  const asked = readRequest(incoming, await text(incoming));
  const { serviceUrl } = way;
  const spoiling = way.spoiling.only?.(asked) === false ? {} : way.spoiling;
  const early = spoiling.onWay?.(asked);
  if (early !== undefined) return give(response, early);
  const headers = { ...incoming.headers, 'content-length': String(Buffer.byteLength(asked.body)) };
  const sent = request(`${serviceUrl}${asked.path}`, { method: 'POST', agent: false, headers });
  sent.on('error', () => response.destroy());
  response.on('close', () => sent.destroy());
  sent.end(asked.body);
  const [back] = (await once(sent, 'response')) as [IncomingMessage];
  back.on('error', () => response.destroy());
  const contentType = back.headers['content-type'] ?? '';
  const form = streamForms.find((each) => contentType.startsWith(each.contentType));
  if (form !== undefined) return stream(back, response, { asked, spoiling, form });
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
  { asked, spoiling, form }: { asked: ApiRequest; spoiling: ApiSpoiling; form: EventForm },
): Promise<void> {
  response.writeHead(spoiling.streamStatus ?? 200, { 'content-type': spoiling.streamType ?? form.contentType });
  let rest: Buffer = Buffer.alloc(0);
  let index = 0;
  const held: Buffer[] = [];
  const write = async (events: readonly ApiEvent[]): Promise<void> => {
    const last = spoiling.omitsBlankLines === true ? -1 : undefined;
    for (const bytes of events.map((event) => form.write(event).subarray(0, last)))
      if (spoiling.gathers === true) held.push(bytes);
      else {
        response.write(bytes);
        // The client is in this process: it reads before two turns of the loop have passed.
        await turnOfLoop();
        await turnOfLoop();
      }
  };
  for await (const chunk of back as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = form.endOf(rest); end !== undefined; end = form.endOf(rest)) {
      const event = form.read(rest.subarray(0, end));
      rest = rest.subarray(end);
      await write(spoiling.onEvent?.(event, asked, index++) ?? [event]);
    }
  }
  if (spoiling.end === 'break') response.destroy();
  else if (spoiling.end === undefined) response.end(Buffer.concat(held));
}

const keyFields = ['x-api-key', 'api-key', 'x-goog-api-key'];

function readRequest({ headers, url: path = '' }: IncomingMessage, body: string): ApiRequest {
  const own = keyFields.map((name) => headers[name]).find((value) => typeof value === 'string');
  const key = own ?? (headers.authorization ?? '').replace('Bearer ', '');
  return { path, hasKey: key !== '', key, body, fields: fieldsIn(body) };
}

function fieldsIn(body: string): Record<string, unknown> {
  try {
    return JSON.parse(body) as Record<string, unknown>;
  } catch {
    // A rule sends a body that is not JSON.
    return {};
  }
}

/** A format of streams. */
interface EventForm {
  contentType: string;
  /** Returns the end of the first event, if it is complete. */
  endOf(bytes: Buffer): number | undefined;
  read(bytes: Buffer): ApiEvent;
  write(event: ApiEvent): Buffer;
}

const jsonOf = (data: string): unknown => (/^[{[]/.test(data) && data !== '[DONE]' ? JSON.parse(data) : data);

const serverSentEvents: EventForm = {
  contentType: 'text/event-stream',
  endOf: (bytes) => {
    const at = bytes.indexOf('\n\n');
    return at === -1 ? undefined : at + 2;
  },
  read: (bytes) => {
    const [, type = ''] = /^event: (.*)$/m.exec(bytes.toString()) ?? [];
    const [, data = ''] = /^data: (.*)$/m.exec(bytes.toString()) ?? [];
    return { type, data: jsonOf(data) };
  },
  write: ({ type, data }) => {
    const name = type === '' ? '' : `event: ${type}\n`;
    return Buffer.from(`${name}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
  },
};

const amazonFrames: EventForm = {
  contentType: 'application/vnd.amazon.eventstream',
  endOf: (bytes) => {
    const length = bytes.length < 4 ? Infinity : bytes.readUInt32BE(0);
    return bytes.length < length ? undefined : length;
  },
  read: (bytes) => {
    const { headers, body } = eventStreamCodec().decode(bytes);
    return { type: String(headers[':event-type']?.value), data: jsonOf(Buffer.from(body).toString()) };
  },
  write: ({ type, data }) => Buffer.from(eventFrame(type, typeof data === 'string' ? data : JSON.stringify(data))),
};

const streamForms = [serverSentEvents, amazonFrames];
