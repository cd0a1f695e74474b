import type { Server } from 'node:http';
import { between, type Clock, type Instant, type Ms } from '../../base/time.ts';
import type { SettledEmbedded } from '../../scenario/embedded.ts';
import type { Operation } from '../../protocol/protocol.ts';
import { newApiBook, type ApiBook } from '../books/api-book.ts';
import { apiNames, type ApiName } from '../books/api-names.ts';
import { Connections } from '../http/connections.ts';
import { Directory } from './directory.ts';
import { Faults } from '../faults/faults.ts';
import { KeyLimits } from './key-limits.ts';
import { OperationBook } from '../books/operation-book.ts';
import type { Peers } from './peers.ts';
import type { Provider } from '../conversation/provider.ts';
import { keyOf, randomOf } from '../../base/random.ts';
import { sampleDuration } from '../../plan/sample-duration.ts';
import { StreamBook } from '../books/stream-book.ts';
import { Sabotage } from '../faults/sabotage.ts';
import { SessionStore } from '../conversation/session-store.ts';

/** What serving an exchange needs, and where it is counted. */
export interface ServiceContext {
  readonly options: SettledEmbedded;
  readonly clock: Clock;
  /** Uptime and the windows of faults count from here. */
  readonly startedAt: Instant;
  readonly provider: Provider;
  readonly directory: Directory;
  readonly limits: KeyLimits;
  readonly sessions: SessionStore;
  readonly faults: Faults;
  readonly sabotage: Sabotage;
  readonly connections: Connections;
  readonly books: Readonly<Record<Operation, OperationBook>>;
  /** What part of them came by which API. */
  readonly apiBooks: Readonly<Record<ApiName, ApiBook>>;
  readonly streams: StreamBook;
  /** The time to the next piece of any streamed reply. */
  readonly drawGap: () => Ms;
  /** Only where the service has several processes. */
  readonly peers: Peers | undefined;
  /** Requests to other paths or with other methods. */
  unrouted: number;
}

export interface ServiceParts {
  options: SettledEmbedded;
  provider: Provider;
  clock: Clock;
  peers?: Peers;
}

/** The shared context of all exchanges of one server. */
export function createServiceContext(
  { options, provider, clock, peers }: ServiceParts,
  server: Server,
): ServiceContext {
  return {
    options,
    clock,
    provider,
    startedAt: peers?.startedAt ?? clock.now(),
    directory: new Directory(options),
    limits: new KeyLimits(options.rateLimit),
    sessions: new SessionStore(options, clock, peers?.newSessionId),
    faults: new Faults(options.faults, options.seed),
    sabotage: new Sabotage(options.sabotage, options.seed),
    connections: new Connections(server),
    books: { message: new OperationBook(), create: new OperationBook() },
    apiBooks: Object.fromEntries(apiNames.map((name) => [name, newApiBook()])) as Record<ApiName, ApiBook>,
    streams: new StreamBook(),
    drawGap: sampleDuration(options.stream.gap, randomOf(options.seed, keyOf('gap'))),
    peers,
    unrouted: 0,
  };
}

/** The time from the service's start to an instant. */
export function elapsedAt(room: ServiceContext, now: Instant): Ms {
  return between(room.startedAt, now);
}
