import type { IncomingHttpHeaders } from 'node:http';
import type { Operation } from '../../protocol/protocol.ts';
import type { Delivery } from '../http/delivery.ts';
import type { Incoming } from '../http/receive-body.ts';
import type { StreamForm } from '../http/write-delivery.ts';
import type { ServerExchange } from './server-exchange.ts';

/** An API of the service: its row in the registry. */
export interface ServedApi {
  /** POST endpoints by operation, in the order of `GET /`. */
  endpoints: Readonly<Partial<Record<Operation, Endpoint>>>;
  /** Returns the key of a request, in the form of `Authorization`. */
  keyIn: (headers: IncomingHttpHeaders) => string | undefined;
  /** Form of streamed replies, if it is not the usual one of server-sent events. */
  streamForm?: StreamForm;
  /** The form over WebSocket. */
  socket?: ServedSocket;
  /** The list of models in the form of this API. */
  models?: ModelList;
}

interface Endpoint extends Serving {
  /** May contain named parts, such as `:thread`. */
  path: string;
  /** An example of a path with named parts; `ID` is a session. */
  shownPath?: string;
  meaning: string;
  /** An example. */
  body: object;
}

interface Serving {
  serve(exchange: ServerExchange, incoming: Incoming): void | Promise<void>;
}

/** The form of an API over WebSocket: an upgrade is a creation, and a frame is a message. */
export interface ServedSocket {
  path: string;
  meaning: string;
  /** Upgrades are accepted by a delivery with status 101: its body is the first frame, '' if there is none. */
  endpoints: Readonly<Record<Operation, Serving>>;
  /** Reads the text of a frame. `greeting` is the first frame of the service. */
  read(text: string, greeting: string): SocketRequest;
  /** Serializes a reply that is not streamed as a frame: an error, or a body that a fault broke. `id` is the id of its request. */
  frame(delivery: Delivery, id: unknown): string;
  /** True if requests on one socket wait for the replies before them. */
  isSequential: boolean;
  /** Refuses requests on a socket above the maximum age. If omitted, sockets have none. */
  expired?: Delivery;
}

/** A frame of a client: a request, with its body and the id that its reply repeats, or the end of one. */
type SocketRequest = { kind: 'message'; id: unknown; body: string } | { kind: 'cancel'; id: unknown };

interface ModelList {
  /** Reports whether the headers identify a client of this API; the last such API in the registry answers. */
  isFor(headers: IncomingHttpHeaders): boolean;
  list(ids: readonly string[], createdMs: number): object;
  /** Formats a refusal as this API does. */
  refuse(refusal: Delivery): Delivery;
}
