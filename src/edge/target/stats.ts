import type { OperationStats } from './operation-book.ts';
import { elapsedAt, type ServiceRoom } from './service-room.ts';

/** The service's own books, as `GET /stats` shows them. */
export interface ServiceStats {
  /** ISO 8601. */
  startedAt: string;
  uptimeMs: number;
  messages: OperationStats;
  creates: OperationStats;
  /** Requests that belong to no operation: other paths and methods. `/stats` and `/ledger` themselves are counted nowhere. */
  unrouted: number;
  sessions: { live: number; created: number; evicted: number };
  /** Turns ever stored; a turn that was repeated is stored twice. */
  turnsStored: number;
  /** Characters of conversation held now. */
  storedCharacters: number;
  connections: { open: number; total: number };
  /** Replies in the making, and those that wait for a place. */
  queue: { busy: number; waiting: number };
  rssBytes: number;
}

/** The books as they stand. */
export function statsOf(room: ServiceRoom): ServiceStats {
  const uptimeMs = elapsedAt(room, room.clock.now());
  return {
    startedAt: new Date(room.clock.wallNow() - uptimeMs).toISOString(),
    uptimeMs,
    messages: room.books.message.figures(),
    creates: room.books.create.figures(),
    unrouted: room.unrouted,
    ...room.sessions.figures(),
    connections: room.connections.figures(),
    queue: room.provider.load(),
    rssBytes: process.memoryUsage.rss(),
  };
}
