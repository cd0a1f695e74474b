import type { ServedApis } from '../apis/registry.ts';
import { between } from '../../base/time.ts';
import type { Delivery } from '../http/delivery.ts';
import type { UnservedRequest, ServiceContext } from '../exchange/service-context.ts';
import type { EventSink } from '../http/write-delivery.ts';
import { serveExchange } from '../routes/routes.ts';
import type { Client } from '../http/client.ts';
import type { Link, LinkMessage } from './link.ts';
import type { Links } from './mesh.ts';
import { ownerOf } from './deal-options.ts';

/** A process of a service. Those numbered below `owners` have sessions. */
export interface ProcessRole {
  index: number;
  owners: number;
}

/** An exchange whose connection is here and that another process serves. */
interface Pending extends Pick<UnservedRequest, 'operation' | 'arrivedAt' | 'client'> {
  link: Link;
  /** Set if a streamed reply has begun. */
  sink?: EventSink;
}

/** Has requests served by the process that has their session, and serves requests of other processes. */
export class Switchboard {
  readonly #context: ServiceContext;
  readonly #apis: ServedApis;
  readonly #role: ProcessRole;
  readonly #links: Links;
  readonly #pending = new Map<number, Pending>();
  #nextId = 0;
  #nextOwner: number;

  constructor({ context, apis, role }: { context: ServiceContext; apis: ServedApis; role: ProcessRole }, links: Links) {
    this.#context = context;
    this.#apis = apis;
    this.#role = role;
    this.#links = links;
    this.#nextOwner = role.index;
    for (const link of links.values()) {
      const clients = new Map<number, RemoteClient>();
      link.open((message) => this.#take(message, link, clients));
    }
  }

  /** Sends a request to the process that it belongs to; returns `false` if it belongs to this one. */
  forward({ client, ...request }: UnservedRequest): boolean {
    const link = this.#links.get(this.#ownerOf(request));
    if (link === undefined) return false;
    const { operation, api, arrivedAt, incoming } = request;
    const { body: text, ...head } = incoming;
    const id = this.#nextId++ >>> 0;
    this.#pending.set(id, { operation, arrivedAt, client, link });
    client.onceGone(() => {
      if (this.#pending.delete(id)) link.send({ kind: 'gone', id });
    });
    link.send({ kind: 'request', id, text, request: { operation, api, arrivedAt, incoming: head } });
    return true;
  }

  /** Returns the owner of a request. New sessions are distributed round-robin; an upgrade may continue one; a message without a session is rejected by any process. */
  #ownerOf({ operation, api, incoming }: Omit<UnservedRequest, 'client'>): number {
    const { index, owners } = this.#role;
    if (owners === 1) return 0;
    const owner = ownerOf(this.#apis[api].sessionIn(incoming.body, incoming.params) ?? '', owners);
    return owner ?? (operation === 'create' ? this.#nextOwner++ % owners : index);
  }

  #take(message: LinkMessage, link: Link, clients: Map<number, RemoteClient>): void {
    const { id, text } = message;
    const { books, clock } = this.#context;
    if (message.kind === 'gone') return clients.get(id)?.leave();
    if (message.kind === 'request') {
      const { operation, api, arrivedAt, incoming } = message.request;
      const client = new RemoteClient(id, link, clients);
      return serveExchange(
        this.#context,
        this.#apis[api],
        { operation, api, arrivedAt, client },
        { ...incoming, body: text },
      );
    }
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    if (message.kind === 'text') {
      pending.sink ??= pending.client.open();
      return pending.sink.write(text ?? '');
    }
    this.#pending.delete(id);
    if (message.kind === 'end') return pending.sink?.end(message.how);
    // The process that served the exchange has counted it; its duration is known here.
    const isAnswered = pending.client.deliver({ ...message.delivery, body: text ?? '' });
    if (isAnswered) books[pending.operation].time(between(pending.arrivedAt, clock.now()));
  }
}

/** A client whose connection another process holds. */
class RemoteClient implements Client {
  readonly #id: number;
  readonly #link: Link;
  readonly #clients: Map<number, RemoteClient>;
  #notice: (() => void) | undefined;

  constructor(id: number, link: Link, clients: Map<number, RemoteClient>) {
    this.#id = id;
    this.#link = link;
    this.#clients = clients;
  }

  /** Passes the delivery on to the process that holds the connection, which writes and times it. */
  deliver({ body: text, ...delivery }: Delivery): boolean {
    this.#clients.delete(this.#id);
    this.#link.send({ kind: 'delivery', id: this.#id, delivery, text });
    return false;
  }

  /** Events are timed as they are sent to that process. */
  open(): EventSink {
    return {
      write: (text) => this.#link.send({ kind: 'text', id: this.#id, text }),
      end: (how) => {
        this.#clients.delete(this.#id);
        this.#link.send({ kind: 'end', id: this.#id, how });
      },
    };
  }

  onceGone(notice: () => void): void {
    // Only the first call has an effect, as with the listeners of a connection.
    this.#notice ??= notice;
    this.#clients.set(this.#id, this);
  }

  leave(): void {
    this.#clients.delete(this.#id);
    this.#notice?.();
  }
}
