import { request as httpRequest, type Agent, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { startService, type RunningService, type ServiceAddress } from '../../src/reference-service/start.ts';
import { embeddedDefaults, embeddedOptions, type EmbeddedOptions } from '../../src/scenario/embedded.ts';
import { messagesPath, sessionsPath } from '../../src/protocol/chat-messaging/api.ts';

/** A response as the wire had it. */
interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The body as JSON. */
  body: ReplyBody;
}

/** Possible members of a body; each test reads those it requested. */
export interface ReplyBody {
  success?: boolean;
  error?: string;
  data?: Record<string, unknown> & { sessionId?: string; response?: string };
}

interface Posted {
  path?: string;
  key?: string | undefined;
  headers?: Record<string, string>;
  /** Text is sent unchanged. */
  body: unknown;
  ca?: string;
  signal?: AbortSignal;
  /** Agent of the connection; omitted: a new connection. */
  agent?: Agent;
}

/** A service for one test, in this process. */
export async function openService(
  options: EmbeddedOptions = {},
  at?: Partial<ServiceAddress>,
): Promise<RunningService> {
  const service = await startService(embeddedOptions.parse(options), { host: '127.0.0.1', port: 0, ...at });
  onTestFinished(() => service.close());
  return service;
}

/** Posts on a separate connection, by default a message with the developer key. */
export async function post(
  baseUrl: string,
  { path = messagesPath, ca, signal, agent, ...posted }: Posted,
): Promise<Reply> {
  const key = 'key' in posted ? posted.key : embeddedDefaults.apiKey;
  const headers = {
    'content-type': 'application/json',
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...posted.headers,
  };
  const options = {
    method: 'POST',
    headers,
    agent: agent ?? false,
    ...(ca === undefined ? {} : { ca }),
    ...(signal && { signal }),
  };
  const send = baseUrl.startsWith('https') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const request = send(baseUrl + path, options, (response) => {
      text(response).then((body) => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: body, body: read(body) });
      }, reject);
    });
    request.on('error', reject);
    request.end(typeof posted.body === 'string' ? posted.body : JSON.stringify(posted.body));
  });
}

/** Creates a session and returns its id. */
export async function createSession(baseUrl: string, agentId: string = embeddedDefaults.agentId): Promise<string> {
  const reply = await post(baseUrl, { path: sessionsPath, body: { agentId } });
  return reply.body.data?.sessionId ?? '';
}

/** A message's body, for the agent that is there by default. */
export function messageOf(sessionId: string, message: string, variableValues?: unknown): Record<string, unknown> {
  return {
    agentId: embeddedDefaults.agentId,
    sessionId,
    message,
    ...(variableValues === undefined ? {} : { variableValues }),
  };
}

/** Sends a message in a session and returns the reply's text. */
export async function say(
  baseUrl: string,
  sessionId: string,
  ...said: [message: string, values?: unknown]
): Promise<string> {
  const { body } = await post(baseUrl, { body: messageOf(sessionId, ...said) });
  return body.data?.response ?? '';
}

export async function getJson(url: string): Promise<unknown> {
  return (await fetch(url, { headers: { connection: 'close' } })).json();
}

/** Posts once on a bare connection; returns the bytes received, and whether the connection was reset or closed. */
export function postBare(
  baseUrl: string,
  body: unknown,
  path = messagesPath,
): Promise<{ received: string; end: string }> {
  const { hostname, port } = new URL(baseUrl);
  const content = JSON.stringify(body);
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(Number(port), hostname);
    socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk));
    socket.on('end', () => resolve({ received, end: 'closed' }));
    socket.on('error', (error: NodeJS.ErrnoException) => resolve({ received, end: error.code ?? '' }));
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${embeddedDefaults.apiKey}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${String(Buffer.byteLength(content))}\r\n\r\n${content}`,
    );
  });
}

/** Waits for something to become true; the test's own time limit bounds it. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 1));
}

function read(body: string): ReplyBody {
  try {
    return JSON.parse(body) as ReplyBody;
  } catch {
    return {};
  }
}
