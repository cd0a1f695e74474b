import type { SabotageKind } from '../../scenario/embedded-sabotage.ts';
import { byApi, type BooksByApi, type OperationSnapshot, type OperationStats } from '../books/operation-book.ts';
import type { StreamSnapshot, StreamStats } from '../books/stream-book.ts';
import { elapsedAt, type ServiceContext } from './service-context.ts';

/** The service's own books, as `GET /stats` shows them. */
export interface ServiceStats extends ServiceCounts {
  messages: OperationStats;
  creates: OperationStats;
  streams: StreamStats;
}

/** The books of one process of several, to be merged with those of the others. */
export interface StatsSnapshot {
  counts: ServiceCounts;
  messages: OperationSnapshot;
  creates: OperationSnapshot;
  streams: StreamSnapshot;
}

export interface ServiceCounts {
  /** ISO 8601. */
  startedAt: string;
  uptimeMs: number;
  /** Requests that belong to no operation: other paths and methods. `/stats` and `/ledger` themselves are not counted. */
  unrouted: number;
  sessions: { live: number; created: number; evicted: number };
  /** Which part of `messages` and `creates` came by which API. */
  byApi: BooksByApi;
  /** Turns ever stored; a turn that was repeated is stored twice. */
  turnsStored: number;
  /**
   * Of those, turns whose message was the one that the session had stored last: a turn stored again by another attempt,
   * provided that no client sends a text twice in a row.
   */
  turnsRepeated: number;
  /** Replies that were spoiled, by the kind of sabotage. */
  sabotaged: Record<SabotageKind, number>;
  /** Characters of conversation held now. */
  storedCharacters: number;
  connections: { open: number; total: number };
  /** Replies in progress, and those that wait for a place. */
  queue: { busy: number; waiting: number };
  rssBytes: number;
}

/** The present books. */
export function statsOf(room: ServiceContext): ServiceStats {
  const { message, create } = room.books;
  return { ...countsOf(room), messages: message.figures(), creates: create.figures(), streams: room.streams.figures() };
}

/** The present books, to be merged. */
export function snapshotOf(room: ServiceContext): StatsSnapshot {
  const { message, create } = room.books;
  return {
    counts: countsOf(room),
    messages: message.snapshot(),
    creates: create.snapshot(),
    streams: room.streams.snapshot(),
  };
}

function countsOf(room: ServiceContext): ServiceCounts {
  const uptimeMs = elapsedAt(room, room.clock.now());
  return {
    startedAt: new Date(room.clock.wallNow() - uptimeMs).toISOString(),
    uptimeMs,
    unrouted: room.unrouted,
    byApi: byApi(room.apiBooks),
    ...room.sessions.figures(),
    sabotaged: room.sabotage.counts(),
    connections: room.connections.figures(),
    queue: room.provider.load(),
    rssBytes: process.memoryUsage.rss(),
  };
}
