import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import type { ServedName } from '../../protocol/registry/registry.ts';
import { between, type Instant } from '../../base/time.ts';
import { TurnQueue } from '../conversation/session-store.ts';
import { ServerExchange } from '../exchange/server-exchange.ts';
import type { ServedApi, ServedSocket } from '../exchange/served-api.ts';
import type { ServiceContext } from '../exchange/service-context.ts';
import { serveExchange } from '../routes/routes.ts';
import type { StreamEnd } from '../http/write-delivery.ts';
import { FrameClient, type FrameCarrier } from './frame-client.ts';

/** An API over WebSocket. */
export interface SocketApi {
  api: ServedName;
  served: ServedApi;
  form: ServedSocket;
}

interface Opening {
  /** Id of the socket. */
  socket: string;
  authorization: string | undefined;
  /** First frame of the service; '' if there is none. */
  greeting: string;
  /** The connection below, for faults that no library sends. */
  raw: Socket;
}

/** An open WebSocket: every frame is an exchange, or cancels one. */
export class ServedConnection implements FrameCarrier {
  readonly #context: ServiceContext;
  readonly #api: SocketApi;
  readonly #opening: Opening;
  readonly #openedAt: Instant;
  /** Replies in progress, and requests that wait for them. */
  readonly #clients = new Set<FrameClient>();
  readonly #queue = new TurnQueue();
  #ws: WebSocket | undefined;

  constructor(context: ServiceContext, api: SocketApi, opening: Opening) {
    this.#context = context;
    this.#api = api;
    this.#opening = opening;
    this.#openedAt = context.clock.now();
  }

  open(ws: WebSocket): void {
    this.#ws = ws;
    ws.on('message', (bytes: Buffer) => this.#take(bytes.toString()));
    // The library closes the socket after an error.
    ws.on('error', () => undefined);
    ws.on('close', () => {
      this.#context.chains.forget(this.#opening.socket);
      for (const client of this.#clients) client.leave();
    });
  }

  send(frame: string): void {
    if (this.#ws?.readyState === WebSocket.OPEN) this.#ws.send(frame);
  }

  sendTogether(send: () => void): void {
    this.#opening.raw.cork();
    send();
    this.#opening.raw.uncork();
  }

  ping(count: number): void {
    for (let left = count; left > 0 && this.#ws?.readyState === WebSocket.OPEN; left--) this.#ws.ping();
  }

  end(how: StreamEnd): void {
    const { raw } = this.#opening;
    if (how === 'whole') return;
    if (how === 'reset') raw.write('', () => this.#context.connections.reset(raw));
    else if (how === 'closed') raw.destroySoon();
    else if (how === 'not_utf8') raw.write(notUtf8);
    else if (how === 'half_frame') {
      raw.write(halfFrame);
      raw.destroySoon();
    } else this.#ws?.close(how.code);
  }

  over(client: FrameClient): void {
    this.#clients.delete(client);
  }

  #take(text: string): void {
    const { form } = this.#api;
    const read = form.read(text, this.#opening.greeting);
    if (read.kind === 'cancel') {
      for (const client of this.#clients) if (client.id === read.id) client.leave();
      return;
    }
    const client = new FrameClient(this, form, read.id);
    const arrivedAt = this.#context.clock.now();
    this.#clients.add(client);
    if (!form.isSequential) this.#serve(client, { body: read.body, arrivedAt });
    else
      this.#queue.run(() => {
        this.#serve(client, { body: read.body, arrivedAt });
        return client.whenOver();
      });
  }

  #serve(client: FrameClient, { body, arrivedAt }: { body: string; arrivedAt: Instant }): void {
    const { api, served, form } = this.#api;
    const { authorization, socket } = this.#opening;
    const context = this.#context;
    const arrival = { operation: 'message' as const, api, arrivedAt, client };
    if (form.expired !== undefined && between(this.#openedAt, arrivedAt) >= context.options.maxSocketAge) {
      const exchange = new ServerExchange(context, arrival);
      void exchange.send(form.expired);
      this.end({ code: 1000 });
    } else
      serveExchange(context, served, arrival, {
        authorization,
        contentType: 'application/json',
        body,
        params: {},
        socket,
      });
  }
}

/** A text frame of two bytes that are not UTF-8. */
const notUtf8 = Buffer.from([0x81, 0x02, 0xc3, 0x28]);
/** The head of a text frame of 100 bytes, and half of its text. */
const halfFrame = Buffer.concat([Buffer.from([0x81, 100]), Buffer.alloc(50, ' ')]);
