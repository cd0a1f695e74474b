import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ms } from '../../base/time.ts';
import { OperationBook, byApi, newApiBook } from '../books/operation-book.ts';
import { serviceClasses, type ServiceClass } from '../books/service-class.ts';
import type { ServiceTimes } from '../books/service-times.ts';
import type { StatsSnapshot } from '../exchange/stats.ts';
import { StreamBook } from '../books/stream-book.ts';
import { mergeStats } from './merge-stats.ts';

const counts = {
  startedAt: '2026-01-01T00:00:00.000Z',
  unrouted: 1,
  sessions: { live: 2, created: 3, evicted: 4 },
  byApi: byApi({
    'chat-messaging': newApiBook(),
    'openai-chat': newApiBook(),
    'openai-responses': newApiBook(),
    'openai-responses-websocket': newApiBook(),
    'anthropic-messages': newApiBook(),
    'ai-sdk': newApiBook(),
    langgraph: newApiBook(),
    a2a: newApiBook(),
    'azure-openai': newApiBook(),
    gemini: newApiBook(),
    'bedrock-converse': newApiBook(),
  }),
  sabotaged: { leak: 1 } as StatsSnapshot['sabotaged'],
  turnsStored: 5,
  turnsRepeated: 6,
  storedCharacters: 7,
  connections: { open: 8, total: 9 },
  queue: { busy: 10, waiting: 11 },
  rssBytes: 12,
};

const snapshot = (times: ServiceTimes) => times.snapshot();

const exchange = fc.record({
  outcome: fc.constantFrom(...serviceClasses),
  took: fc.double({ min: 0.001, max: 4_000_000, noNaN: true }).map(ms),
  process: fc.nat(2),
});

function write(book: OperationBook, { outcome, took }: { outcome: ServiceClass; took: number }): void {
  book.begin();
  book.end(outcome);
  book.time(ms(took));
  if (outcome === 'cut') book.stall();
}

test('merged statistics equal those of a single process that served everything', () => {
  fc.assert(
    fc.property(fc.array(exchange, { maxLength: 40 }), (exchanges) => {
      const whole = new OperationBook();
      const parts = [0, 1, 2].map(() => new OperationBook());
      for (const one of exchanges)
        for (const book of [whole, parts[one.process]]) if (book !== undefined) write(book, one);
      const nothing = new OperationBook();
      const streams = new StreamBook();
      streams.begin();
      streams.first(ms(5));
      streams.next(ms(7));
      const merged = mergeStats(
        parts.map((book, index) => ({
          ...counts,
          uptimeMs: 100 + index,
          messages: book.stats(snapshot),
          creates: nothing.stats(snapshot),
          streams: streams.stats(snapshot),
        })),
      );
      expect(merged.messages).toEqual(whole.stats((times) => times.figures()));
      expect(merged).toMatchObject({
        uptimeMs: 102,
        startedAt: '2026-01-01T00:00:00.000Z',
        unrouted: 3,
        rssBytes: 36,
        sessions: { live: 6, created: 9, evicted: 12 },
        queue: { busy: 30, waiting: 33 },
        sabotaged: { leak: 3 },
        creates: { serviceTime: { count: 0, minMs: null, maxMs: null, p50Ms: null } },
        streams: { begun: 3, contentEvents: 6, firstToken: { count: 3, maxMs: 5 }, gap: { count: 3, minMs: 7 } },
      });
      for (const book of [whole, nothing, streams, ...parts]) book.destroy();
    }),
    { numRuns: 50 },
  );
});
