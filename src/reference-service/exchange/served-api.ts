import type { IncomingHttpHeaders } from 'node:http';
import type { Operation } from '../../protocol/protocol.ts';
import type { Delivery } from '../http/delivery.ts';
import type { Incoming } from '../http/receive-body.ts';
import type { ServerExchange } from './server-exchange.ts';
import type { ServiceContext } from './service-context.ts';

/** An API that the service speaks: its row in the registry. */
export interface ServedApi {
  /** What is posted to it, by operation, in the order of `GET /`. */
  endpoints: Readonly<Partial<Record<Operation, Endpoint>>>;
  /** The key of a request, in the form of `Authorization`. */
  keyIn: (headers: IncomingHttpHeaders) => string | undefined;
  /** The session that the body of a message continues; `undefined` if it continues none. */
  sessionIn: (body: string | undefined) => string | undefined;
  /** The list of models in the form of this API. */
  models?: ModelList;
}

interface Endpoint {
  path: string;
  meaning: string;
  /** An example. */
  body: object;
  serve(asked: AskedExchange): void | Promise<void>;
}

/** An exchange with its request. */
export interface AskedExchange {
  room: ServiceContext;
  exchange: ServerExchange;
  incoming: Incoming;
}

interface ModelList {
  /** Whether the headers are those of a client of this API; the last such API in the registry answers. */
  isFor(headers: IncomingHttpHeaders): boolean;
  list(ids: readonly string[], createdMs: number): object;
  /** Puts a refusal in the words of this API. */
  refuse(refusal: Delivery): Delivery;
}
