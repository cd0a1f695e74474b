import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { witness, type ServiceModel, type Served } from '../support/virtual-run.ts';
import type { Operation } from '../../src/protocol/protocol.ts';

/** The service fails after a second, and then refuses requests within a millisecond. */
const refusesFrom =
  (from: number, refused: Operation, until = Infinity): ServiceModel =>
  (operation, at) =>
    operation === refused && at >= from && at < until
      ? { afterMs: 1, status: 404, body: '{}' }
      : { afterMs: refused === 'message' && operation === 'create' ? 1 : 100 };

/** Sessions that were begun within a time. */
const startsIn = (served: readonly Served[], from: number, to: number): number =>
  served.filter(({ operation, sentAt }) => operation === 'create' && sentAt >= from && sentAt < to).length;

const flood = (model: ServiceModel, scenario: Partial<Scenario> = {}) =>
  witness(
    {
      target: { baseUrl: 'http://127.0.0.1:9', agentId: 'a1', apiKey: 'sk-test' },
      load: { concurrency: 10 },
      duration: '5s',
      ...scenario,
    },
    model,
  );

describe('a target that refuses everything is not flooded', () => {
  test('under closed load sessions start 10 ms apart after 200 refusals in a row', async () => {
    const { result, notes } = await flood(refusesFrom(1000, 'create'));
    // 50 ok ones; ten per millisecond for 20 ms; nine in flight; one every 10 ms from 1,020 to 4,990 ms.
    expect(result.books.sessions).toMatchObject({ created: 50, create_failed: 200 + 9 + 398, cut: 0 });
    expect([result.books.balanced, result.run.status]).toEqual([true, 'completed']);
    expect(notes).toEqual([
      expect.objectContaining({
        code: 'load_throttled',
        message:
          'The target refused to create sessions: after 200 consecutive rejections, new sessions were limited to 100 per second, from 1.0 s until a session was created.',
      }),
    ]);
  });

  test('also if sessions are created and every message is rejected', async () => {
    const { result, served } = await flood(refusesFrom(1000, 'message'));
    expect(startsIn(served, 2000, 3000)).toBe(100);
    expect([result.books.balanced, result.warnings.map(({ code }) => code)]).toEqual([true, ['load_throttled']]);
    expect(result.warnings[0]?.message).toMatch(
      /^The target refused messages: .* from 1\.\d s until a message succeeded\.$/,
    );
  });

  test('until one operation goes well', async () => {
    const { served } = await flood(refusesFrom(1000, 'create', 3000));
    expect(startsIn(served, 2000, 3000)).toBe(100);
    // The first good answer arrives 100 ms after the first good creation; ten sessions of 200 ms each then continue.
    expect(startsIn(served, 3200, 4200)).toBeGreaterThanOrEqual(50);
  });

  test('until a message succeeds, if messages were rejected', async () => {
    const { served } = await flood(refusesFrom(1000, 'message', 3000), { load: { concurrency: 30 } });
    expect(startsIn(served, 2000, 3000)).toBe(100);
    // The first good answer arrives 100 ms later; thirty sessions of 101 ms each then continue.
    expect(startsIn(served, 3200, 4200)).toBeGreaterThan(250);
  });

  test('not under open load, which keeps its schedule', async () => {
    const { result, notes } = await flood(refusesFrom(1000, 'create'), { load: { sessionsPerSecond: 400 } });
    expect([result.books.sessions.planned, notes]).toEqual([2000, []]);
  });

  test('unless it fails in a way that is retried', async () => {
    const overloaded: ServiceModel = () => ({ afterMs: 1, status: 429, body: '{}' });
    const retry = { maxAttempts: 1 };
    const { result, notes } = await flood(overloaded, { duration: '200ms', retry });
    expect([result.books.sessions.create_failed, notes]).toEqual([2000, []]);
  });
});
