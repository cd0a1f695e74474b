import type { ServedApis } from '../apis/registry.ts';
import { between } from '../../base/time.ts';
import type { Delivery } from '../http/delivery.ts';
import type { Incoming } from '../http/receive-body.ts';
import type { UnservedRequest, ServiceContext } from '../exchange/service-context.ts';
import { openEvents, type EventSink, type StreamEnd, writeDelivery } from '../http/write-delivery.ts';
import { serveExchange } from '../routes/routes.ts';
import type { Client } from '../exchange/server-exchange.ts';
import type { CarriedRequest, Link, LinkEnd } from './link.ts';
import { ownerOf } from './session-owner.ts';

/** The place of a process among those of its service. Those numbered below `owners` have sessions. */
export interface Place {
  index: number;
  processes: number;
  owners: number;
}

/** An exchange whose connection is here and that another process serves. */
interface Pending extends Pick<UnservedRequest, 'operation' | 'arrivedAt' | 'response'> {
  link: Link;
  /** Of a reply in pieces that has begun. */
  sink?: EventSink;
}

/** Has requests served where their session is, and serves those that come from other processes. */
export class Switchboard {
  readonly #room: ServiceContext;
  readonly #apis: ServedApis;
  readonly #place: Place;
  readonly #links: ReadonlyMap<number, Link>;
  readonly #pending = new Map<number, Pending>();
  #nextId = 0;
  #nextOwner: number;

  /** `links`: by the number of the process at the other end. */
  constructor(
    { room, apis, place }: { room: ServiceContext; apis: ServedApis; place: Place },
    links: ReadonlyMap<number, Link>,
  ) {
    this.#room = room;
    this.#apis = apis;
    this.#place = place;
    this.#links = links;
    this.#nextOwner = place.index;
    for (const link of links.values()) link.open(this.#endOf(link));
  }

  /** Sends a request to the process that it belongs to; `false`: that is this one. */
  forward({ operation, api, arrivedAt, incoming, response }: UnservedRequest): boolean {
    const link = this.#links.get(this.#ownerFor({ operation, api }, incoming));
    if (link === undefined) return false;
    const id = this.#hold({ operation, arrivedAt, response, link });
    link.request(id, { operation, api, arrivedAt, incoming });
    return true;
  }

  /** New sessions go to the owners in turn, so that each has as many. What names no session is refused anywhere. */
  #ownerFor({ operation, api }: Pick<UnservedRequest, 'operation' | 'api'>, { body }: Incoming): number {
    const { index, owners } = this.#place;
    if (owners === 1) return 0;
    if (operation === 'create') return this.#nextOwner++ % owners;
    return ownerOf(this.#apis[api].sessionIn(body) ?? '', owners) ?? index;
  }

  #hold(pending: Pending): number {
    const id = this.#nextId++ >>> 0;
    this.#pending.set(id, pending);
    pending.response.once('close', () => {
      if (this.#pending.delete(id)) pending.link.gone(id);
    });
    return id;
  }

  #endOf(link: Link): LinkEnd {
    const clients = new Map<number, RemoteClient>();
    return {
      request: (id, request) => this.#serve(request, new RemoteClient(id, { link, clients })),
      delivery: (id, delivery) => this.#write(id, delivery),
      text: (id, text) => this.#writeText(id, text),
      end: (id, how) => this.#writeEnd(id, how),
      gone: (id) => clients.get(id)?.leave(),
    };
  }

  #serve({ operation, api, arrivedAt, incoming }: CarriedRequest, client: RemoteClient): void {
    serveExchange(this.#room, this.#apis[api], { operation, api, arrivedAt, client }, incoming);
  }

  /** The one that served the exchange has counted it; how long it took is known here. */
  #write(id: number, delivery: Delivery): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    const { operation, arrivedAt, response } = pending;
    const isAnswered = writeDelivery(delivery, response, this.#room.connections);
    if (isAnswered) this.#room.books[operation].time(between(arrivedAt, this.#room.clock.now()));
  }

  #writeText(id: number, text: string): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    pending.sink ??= openEvents(pending.response, this.#room.connections);
    pending.sink.write(text);
  }

  #writeEnd(id: number, how: StreamEnd): void {
    const sink = this.#pending.get(id)?.sink;
    this.#pending.delete(id);
    sink?.end(how);
  }
}

/** A client whose connection another process holds. */
class RemoteClient implements Client {
  readonly #id: number;
  readonly #link: Link;
  readonly #clients: Map<number, RemoteClient>;
  #notice: (() => void) | undefined;

  constructor(id: number, { link, clients }: { link: Link; clients: Map<number, RemoteClient> }) {
    this.#id = id;
    this.#link = link;
    this.#clients = clients;
  }

  /** Written, and timed, where the connection is. */
  deliver(delivery: Delivery): boolean {
    this.#clients.delete(this.#id);
    this.#link.delivery(this.#id, delivery);
    return false;
  }

  /** Its pieces are timed as they are sent there. */
  open(): EventSink {
    return {
      write: (text) => this.#link.text(this.#id, text),
      end: (how) => {
        this.#clients.delete(this.#id);
        this.#link.end(this.#id, how);
      },
    };
  }

  onceGone(notice: () => void): void {
    // The first one to ask decides, as with the listeners of a connection.
    this.#notice ??= notice;
    this.#clients.set(this.#id, this);
  }

  leave(): void {
    this.#clients.delete(this.#id);
    this.#notice?.();
  }
}
