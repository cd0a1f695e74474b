import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ModelApiName } from '../../protocol/model-call.ts';
import { checkForward } from '../../plan/host-names.ts';
import type { ResolvedModel } from '../../scenario/model-options.ts';
import { receiveBytes } from '../http/receive-body.ts';
import { listenAt } from '../start.ts';
import { createModelContext, type ModelContext, type ModelParts } from './model-context.ts';
import { OpenCall } from './open-call.ts';
import { forwardCall, forwardOther } from './forward-call.ts';
import { Upstreams } from './upstreams.ts';
import { serveOther } from './serve-other.ts';
import { serveCall } from './serve-call.ts';
import { tokenCounter } from './token-counter.ts';

export interface ModelServiceParts extends ModelParts {
  /** Hosts besides this machine that calls may be forwarded to. */
  allowHosts?: readonly string[] | undefined;
  /** Remedy if the service cannot listen; by default the options of a scenario. */
  listenHint?: string;
}

/** The running model service. */
export interface RunningModel {
  host: string;
  port: number;
  /** Ends the account of open calls, as `open_at_end`; their replies go on. */
  abandonOpen(): void;
  /** Ends the accounting: open calls end as `open_at_end`, later requests are refused and not reported. */
  stop(): void;
  /** Stops, and closes all connections. */
  close(): Promise<void>;
}

/** Routes of model calls, without the optional `/v1`. */
const callRoutes: Readonly<Record<string, ModelApiName>> = {
  '/chat/completions': 'chat',
  '/responses': 'responses',
  '/messages': 'messages',
  '/embeddings': 'embeddings',
};

const usualHint =
  'Use another port with --model-port or model.port (0 selects a free port), or another address with model.host.';

/** Largest body of a request, as for the real services. */
const maxBodyBytes = 32 * 1024 * 1024;

/**
 * Starts the model service in this process. Throws an environment error if it cannot listen there, and a usage error if
 * calls may not be forwarded to a host.
 */
export async function openModelService(options: ResolvedModel, parts: ModelServiceParts): Promise<RunningModel> {
  const { allowHosts = [], listenHint = usualHint } = parts;
  checkForward(options.forward, allowHosts);
  const server = createServer({ keepAliveTimeout: 72_000 });
  const context = createModelContext(options, { ...parts, server, count: await tokenCounter(options.tokenizer) });
  const upstreams = options.forward === undefined ? undefined : new Upstreams(options.forward);
  let isStopped = false;
  server.on('connection', (socket) => {
    // A reset by the client must not end the process.
    socket.on('error', () => undefined);
    if (!isStopped) context.observer.connectionOpened(context.clock.now());
  });
  server.on('request', (request, response) => {
    response.on('error', () => undefined);
    if (isStopped) response.writeHead(503, ['content-length', '0', 'connection', 'close']).end();
    else receive({ context, upstreams }, request, response);
  });
  server.on('upgrade', refuseUpgrade);
  const port = await listenAt(server, options, listenHint);
  const abandonOpen = (): void => {
    for (const call of context.open) call.abandon();
  };
  const stop = (): void => {
    isStopped = true;
    abandonOpen();
  };
  const close = async (): Promise<void> => {
    stop();
    const closed = new Promise((resolve) => server.close(resolve));
    context.connections.close();
    upstreams?.close();
    await closed;
  };
  return { host: options.host, port, abandonOpen, stop, close };
}

interface Running {
  context: ModelContext;
  /** `undefined`: the service itself replies. */
  upstreams: Upstreams | undefined;
}

function receive({ context, upstreams }: Running, request: IncomingMessage, response: ServerResponse): void {
  const path = routeOf(request.url ?? '');
  const api = request.method === 'POST' && Object.hasOwn(callRoutes, path) ? callRoutes[path] : undefined;
  if (api === undefined) {
    context.observer.otherRequest(context.clock.now());
    if (upstreams === undefined) serveOther(context, { path, request, response });
    else forwardOther(context, { request, response }, upstreams);
    return;
  }
  const call = new OpenCall(context, api, response);
  receiveBytes(request, maxBodyBytes, (bytes) =>
    call.guard(() => {
      const received = { call, path, headers: request.headers, bytes };
      if (upstreams === undefined) serveCall(context, received);
      else forwardCall(context, received, upstreams);
    }),
  );
}

/** Returns the path of a URL without its query, a final slash and the optional version. */
function routeOf(url: string): string {
  const end = url.search(/[?#]/);
  const path = end === -1 ? url : url.slice(0, end);
  return path.replace(/^\/v1(?=\/)/, '').replace(/(?<=.)\/$/, '');
}

function refuseUpgrade(_request: IncomingMessage, socket: Duplex): void {
  const body = JSON.stringify({
    error: {
      message:
        'The model service does not support WebSocket. Use HTTP: POST /v1/chat/completions, /v1/responses or /v1/messages.',
      type: 'invalid_request_error',
      param: null,
      code: 'websocket_not_supported',
    },
  });
  socket.on('error', () => undefined);
  const head = `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: ${String(Buffer.byteLength(body))}\r\nconnection: close\r\n\r\n`;
  socket.end(head + body);
}
