import type { Server } from 'node:http';
import { between, type Clock, type Instant, type Ms } from '../../base/time.ts';
import type { ResolvedEmbedded } from '../../scenario/embedded.ts';
import type { Operation } from '../../protocol/protocol.ts';
import { OperationBook, newApiBook, type ApiBook } from '../books/operation-book.ts';
import type { ServedName } from '../../protocol/registry/registry.ts';
import { Connections } from '../http/write-delivery.ts';
import { Directory } from './directory.ts';
import { KeyLimits } from './rate-limit.ts';
import { Faults } from '../faults/faults.ts';
import type { Provider } from '../conversation/provider.ts';
import { keyOf, randomOf } from '../../base/random.ts';
import { sampleDuration } from '../../plan/distributions.ts';
import { StreamBook } from '../books/stream-book.ts';
import { Sabotage } from '../faults/sabotage.ts';
import { SessionStore } from '../conversation/session-store.ts';
import { SocketChains } from '../conversation/socket-chains.ts';
import type { Client } from '../http/client.ts';
import type { Incoming } from '../http/receive-body.ts';

export interface ServiceParts {
  readonly options: ResolvedEmbedded;
  readonly provider: Provider;
  readonly clock: Clock;
  /** Set only if the service has several processes. */
  readonly peers?: Peers;
}

/** The shared state of all exchanges of one server: settings, sessions and statistics. */
export interface ServiceContext extends ServiceParts {
  /** Uptime and the windows of faults count from here. */
  readonly startedAt: Instant;
  readonly directory: Directory;
  readonly limits: KeyLimits;
  readonly sessions: SessionStore;
  readonly chains: SocketChains;
  readonly faults: Faults;
  readonly sabotage: Sabotage;
  readonly connections: Connections;
  readonly books: Readonly<Record<Operation, OperationBook>>;
  /** State of each API. */
  readonly apiBooks: Readonly<Record<ServedName, ApiBook>>;
  readonly streams: StreamBook;
  /** Draws the time to the next content event of any streamed reply. */
  readonly drawGap: () => Ms;
  /** Requests to other paths or with other methods. */
  unrouted: number;
}

export function createServiceContext(
  parts: ServiceParts,
  { server, apis }: { server: Server; apis: readonly ServedName[] },
): ServiceContext {
  const { options, clock, peers } = parts;
  return {
    ...parts,
    startedAt: peers?.startedAt ?? clock.now(),
    directory: new Directory(options),
    limits: new KeyLimits(options.rateLimit),
    sessions: new SessionStore(options, clock, peers?.newSessionId),
    chains: new SocketChains(options.maxSessions),
    faults: new Faults(options.faults, options.seed),
    sabotage: new Sabotage(options.sabotage, options.seed),
    connections: new Connections(server),
    books: { message: new OperationBook(), create: new OperationBook() },
    apiBooks: Object.fromEntries(apis.map((name) => [name, newApiBook()])) as Record<ServedName, ApiBook>,
    streams: new StreamBook(),
    drawGap: sampleDuration(options.stream.gap, randomOf(options.seed, keyOf('gap'))),
    unrouted: 0,
  };
}

/** Returns the time from the service's start to an instant. */
export function elapsedAt({ startedAt }: ServiceContext, now: Instant): Ms {
  return between(startedAt, now);
}

/** A request that was read in this process and is not yet served. */
export interface UnservedRequest {
  operation: Operation;
  api: ServedName;
  arrivedAt: Instant;
  incoming: Incoming;
  client: Client;
}

/** The other processes of a service that has several, as one of them uses them. */
export interface Peers {
  /** When the service as a whole started, by the clock of this service. */
  readonly startedAt: Instant;
  /** Returns an id that names the process that has the session. */
  readonly newSessionId: () => string;
  /** Forwards the request to the process that it belongs to; returns `false` if it belongs to this one. */
  forward(request: UnservedRequest): boolean;
  /** Returns the statistics of all processes. */
  stats(): Promise<object>;
  /** Returns the turns of a session of any process. */
  ledger(sessionId: string): Promise<object | undefined>;
}

let lastMs = NaN;
let lastText = '';

/** Formats a wall-clock time as ISO 8601; exchanges of the same millisecond share the text. */
export function timestampOf(wallMs: number): string {
  if (wallMs !== lastMs) {
    lastMs = wallMs;
    lastText = new Date(wallMs).toISOString();
  }
  return lastText;
}
