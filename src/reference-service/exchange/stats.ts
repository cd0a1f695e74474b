import type { SabotageKind } from '../../scenario/embedded-sabotage.ts';
import { byApi, type BooksByApi, type OperationStats } from '../books/operation-book.ts';
import type { StreamStats } from '../books/stream-book.ts';
import { elapsedAt, type ServiceContext } from './service-context.ts';

/** The service's own statistics, as `GET /stats` shows them. */
export interface ServiceStats {
  /** ISO 8601. */
  startedAt: string;
  uptimeMs: number;
  /** Requests that belong to no operation: other paths and methods. `/stats` and `/ledger` themselves are not counted. */
  unrouted: number;
  /** The part of `messages` and `creates` of each API. */
  byApi: BooksByApi;
  sessions: { live: number; created: number; evicted: number };
  /** Turns ever stored; a turn that was repeated is stored twice. */
  turnsStored: number;
  /**
   * Stored turns whose message equals the session's last stored one: turns stored again by another attempt, unless a
   * client sends the same text twice in succession.
   */
  turnsRepeated: number;
  /** Number of characters of stored conversations. */
  storedCharacters: number;
  /** Replies with an injected defect, by the kind of sabotage. */
  sabotaged: Record<SabotageKind, number>;
  connections: { open: number; total: number };
  /** Replies in progress, and replies that wait for a slot. */
  queue: { busy: number; waiting: number };
  rssBytes: number;
  messages: OperationStats;
  creates: OperationStats;
  streams: StreamStats;
}

export function statsOf(context: ServiceContext): ServiceStats {
  const uptimeMs = elapsedAt(context, context.clock.now());
  return {
    startedAt: new Date(context.clock.wallNow() - uptimeMs).toISOString(),
    uptimeMs,
    unrouted: context.unrouted,
    byApi: byApi(context.apiBooks),
    ...context.sessions.figures(),
    sabotaged: context.sabotage.counts(),
    connections: context.connections.figures(),
    queue: context.provider.load(),
    rssBytes: process.memoryUsage.rss(),
    messages: context.books.message.stats(),
    creates: context.books.create.stats(),
    streams: context.streams.stats(),
  };
}
