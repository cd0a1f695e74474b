import { expect, test } from 'vitest';
import { conduct } from '../support/conduct.ts';
import { exampleProtocol, openSocketService } from '../support/socket-service.ts';

/** Behaviours of the service, each with the class that it writes into its own ledger. */
const behaviours = [
  'ok',
  'ok',
  'ok',
  'rate_limited',
  'internal_error',
  'server_error',
  'connection_lost',
  'truncated',
  'malformed',
  'timed_out',
  'bad_request',
] as const;

test.each([1, 16, 200])('classes equal the ledger of the service with %i sockets', async (concurrency) => {
  const ledger: Record<string, number> = {};
  let late = 0;
  // A busy machine adds no timeouts.
  const timeoutMs = concurrency > 100 ? 9000 : 3000;
  const service = await openSocketService({
    message: ({ ws, say, reply }, { id }, nth) => {
      const outcome = behaviours[(nth * 7) % behaviours.length] ?? 'ok';
      ledger[outcome] = (ledger[outcome] ?? 0) + 1;
      say({ type: 'typing' });
      if (outcome === 'ok') reply(id);
      else if (outcome === 'rate_limited') say({ type: 'error', id, code: 'rate_limited', retryAfter: 0 });
      else if (outcome === 'bad_request') say({ type: 'error', id, code: 'bad_request' });
      else if (outcome === 'malformed') ws.send('{"type":');
      else if (outcome === 'internal_error') ws.close(1011);
      else if (outcome === 'connection_lost') ws.terminate();
      else if (outcome === 'timed_out') {
        say({ type: 'delta', id, text: 'A slow ' });
        setTimeout(() => {
          if (ws.readyState !== ws.OPEN) return;
          say({ type: 'done', id });
          late++;
        }, timeoutMs + 700);
      } else {
        say({ type: 'delta', id, text: 'It' });
        ws.close(outcome === 'truncated' ? 1000 : 1012);
      }
    },
  });
  const sessions = Math.max(5, concurrency);
  const result = await conduct(
    {
      sessions,
      turns: 4,
      // 200 sockets are not opened at once: a busy machine would time out.
      load: { concurrency, rampUp: concurrency * 20 },
      timeout: timeoutMs,
      thinkTime: '300ms',
      onFailedTurn: 'continue',
      retry: { maxAttempts: 2, base: '1ms' },
      target: { protocol: exampleProtocol },
    },
    service,
  );
  const { outcomes, books, retries } = result;
  const attempts = Object.fromEntries(Object.entries(outcomes.attempts).filter(([, count]) => count !== 0));
  expect(attempts).toEqual(ledger);
  expect(books.balanced).toBe(true);
  expect(outcomes.unsolicited).toBe(late);
  const creations = Object.values(outcomes.createAttempts).reduce((sum, count) => sum + count, 0);
  expect(outcomes.reopened).toBe((service.counted['sockets'] ?? 0) - creations);
  expect(retries.ambiguous).toBe(retries.retries);
});
