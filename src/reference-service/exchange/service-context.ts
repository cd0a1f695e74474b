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

export interface ServiceParts {
  readonly options: ResolvedEmbedded;
  readonly provider: Provider;
  readonly clock: Clock;
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
  const { options, clock } = parts;
  return {
    ...parts,
    startedAt: clock.now(),
    directory: new Directory(options),
    limits: new KeyLimits(options.rateLimit),
    sessions: new SessionStore(options, clock),
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
