import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Result } from '../../src/result/result.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { badDays } from '../support/bad-days.ts';
import { root } from '../support/command.ts';
import { conductClosely } from '../support/conduct.ts';
import { watchHandles } from '../support/open-handles.ts';
import { openSpoiltService, response, type Spoiling, type SpoiltService } from '../support/spoilt-service.ts';

const sessions = 12;
/** Sessions with an odd number trigger the fault in the first of their two turns. */
const halfBad: Partial<Scenario> = {
  sessions,
  turns: 2,
  load: { concurrency: 4 },
  messages: [({ session, turn }) => (turn.number === 1 && session.number % 2 === 1 ? 'bad' : 'good')],
};

interface Lived {
  result: Result;
  service: SpoiltService;
}

/** Runs a scenario against a faulty service; counts must be consistent, and no resource may leak. */
async function live(
  spoiling: Spoiling,
  scenario: Partial<Scenario>,
  { meanwhile, ca }: { meanwhile?: (service: SpoiltService) => Promise<unknown>; ca?: Buffer } = {},
): Promise<Lived> {
  const handles = watchHandles();
  const service = await openSpoiltService(spoiling);
  onTestFinished(() => service.down());
  const target = ca === undefined ? { baseUrl: service.baseUrl } : { baseUrl: service.baseUrl, tls: { ca } };
  const running = conductClosely({ timeout: '30s', ...scenario }, target);
  const [{ result, left }] = await Promise.all([running, meanwhile?.(service)]);
  await service.down();
  expect(left).toEqual({ connections: 0, listeners: 0 });
  expect(await handles.left()).toEqual([]);
  expect([result.run.status, result.books.balanced, result.books.broken]).toEqual(['completed', true, []]);
  return { result, service };
}

/** Attempts by class, turns and creations together; classes without attempts are omitted. */
function attemptsOf({ outcomes }: Result): Record<string, number> {
  const all = [...Object.entries(outcomes.attempts), ...Object.entries(outcomes.createAttempts)];
  const seen: Record<string, number> = {};
  for (const [outcome, count] of all) if (count > 0) seen[outcome] = (seen[outcome] ?? 0) + count;
  return seen;
}

describe('a service that', () => {
  const ofMessages = badDays.filter(({ message }) => message !== undefined);
  test.each(ofMessages)('$name: $outcome, and the run continues', async ({ outcome, scenario, ...spoiling }) => {
    const { result, service } = await live(spoiling, { ...halfBad, ...scenario });
    const bad = sessions / 2;
    const isOk = outcome === 'ok';
    expect(result.outcomes.attempts).toMatchObject(isOk ? { ok: 4 * bad } : { [outcome]: bad, ok: 2 * bad });
    expect(result.books.attempts.total).toBe(isOk ? 4 * bad : 3 * bad);
    expect(result.books.sessions).toMatchObject({ completed: isOk ? 2 * bad : bad, failed: isOk ? 0 : bad });
    expect(service.asked.filter((line) => line.includes('/elsewhere'))).toEqual([]);
  });

  const ofConnections = badDays.filter(({ connection }) => connection !== undefined);
  test.each(ofConnections)('$name: $outcome, and the run continues', async ({ outcome, scenario, ...spoiling }) => {
    const { result } = await live(spoiling, { ...halfBad, ...scenario });
    const seen = attemptsOf(result);
    expect(Object.keys(seen).sort()).toEqual([outcome, 'ok'].sort());
    expect(result.books.sessions.completed).toBeGreaterThan(0);
  });
});

describe('a service that sends Retry-After:', () => {
  const retry = { maxAttempts: 2, base: '1ms' } as const;
  const limited = (value: string): Spoiling => ({
    message: (socket) => void socket.write(response('{}', '429 Slow Down', `Retry-After: ${value}\r\n`)),
  });
  const past = 'Thu, 01 Jan 1970 00:00:00 GMT';

  test.each([
    ['99999999', '99999999'],
    ['a number of 400 digits', '9'.repeat(400)],
    ['the year 9999', 'Fri, 31 Dec 9999 23:59:59 GMT'],
  ])('%s is not waited for: the turn is given up at once', async (_, value) => {
    const { result } = await live(limited(value), { ...halfBad, retry });
    expect(result.outcomes.attempts.rate_limited).toBe(sessions / 2);
    expect(result.retries).toMatchObject({ retries: 0, gaveUp: { tooLong: sessions / 2 } });
  });

  test.each(['-1', past, 'soon', '1,5', '', '0x10', 'Thu, 99 Foo 2199 99:99:99 GMT', '\t\u00ff'])(
    '%j counts as none, and is reported as invalid',
    async (value) => {
      const { result } = await live(limited(value), { ...halfBad, retry });
      expect(result.outcomes.attempts.rate_limited).toBe(sessions);
      const { retryAfter, gaveUp } = result.retries;
      expect([retryAfter.invalid, retryAfter.absent, gaveUp.exhausted]).toEqual([sessions / 2, 0, sessions / 2]);
    },
  );
});

describe('a service that stops and restarts', () => {
  let askedBefore = 0;
  const steady: Partial<Scenario> = { sessions: 60, turns: 2, load: { sessionsPerSecond: 60 }, messages: ['Hi'] };
  /** Down after 30 requests, and up again when 10 more sessions have become due. */
  const restart = async (service: SpoiltService): Promise<void> => {
    while (service.asked.length < 30) await new Promise((resolve) => setTimeout(resolve, 5));
    await service.down();
    await new Promise((resolve) => setTimeout(resolve, 170));
    askedBefore = service.asked.length;
    await service.up();
  };

  test('refuses connections meanwhile: connect_failed, and later ones are served', async () => {
    const { result, service } = await live({}, steady, { meanwhile: restart });
    const seen = attemptsOf(result);
    expect(seen['connect_failed']).toBeGreaterThan(0);
    expect(Object.keys(seen).filter((each) => !['ok', 'connect_failed', 'connection_lost'].includes(each))).toEqual([]);
    expect(result.examples.find(({ outcome }) => outcome === 'connect_failed')?.detail).toContain('ECONNREFUSED');
    expect(result.books.sessions.completed).toBeGreaterThan(10);
    expect(service.asked.length).toBeGreaterThan(askedBefore);
  });

  test('loses nothing to a run that retries', async () => {
    const retry = { maxAttempts: 50, base: '20ms', cap: '100ms' } as const;
    const { result } = await live({}, { ...steady, retry }, { meanwhile: restart });
    expect(attemptsOf(result)['connect_failed']).toBeGreaterThan(0);
    expect(result.books.sessions).toMatchObject({ planned: 60, completed: 60 });
    expect(result.books.turns).toMatchObject({ ok: 120, failed: 0 });
  });
});

describe('a service that changes its certificate', () => {
  const pem = (name: string): Buffer => readFileSync(join(root, `test/fixtures/test-only-${name}.pem`));
  const known = { key: pem('localhost.key'), cert: pem('localhost.cert') };
  const stranger = { key: pem('stranger.key'), cert: pem('stranger.cert') };
  // Every reply ends its connection, so that every attempt receives the current certificate.
  const closing: Spoiling = {
    tls: known,
    message: (socket) => void socket.end('HTTP/1.1 503 Busy\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'),
  };
  let askedBefore = 0;
  const change = async ({ server, asked }: SpoiltService): Promise<void> => {
    const after = async (count: number): Promise<void> => {
      while (asked.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    await after(20);
    if ('setSecureContext' in server) server.setSecureContext(stranger);
    await new Promise((resolve) => setTimeout(resolve, 200));
    askedBefore = asked.length;
    if ('setSecureContext' in server) server.setSecureContext(known);
  };
  const steady: Partial<Scenario> = { sessions: 60, load: { sessionsPerSecond: 60 }, messages: ['bad'] };

  test('for an untrusted one: connect_failed with the reason, until it has the old one back', async () => {
    const { result, service } = await live(closing, steady, { meanwhile: change, ca: known.cert });
    const seen = attemptsOf(result);
    expect(Object.keys(seen).sort()).toEqual(['connect_failed', 'ok', 'server_error']);
    expect(result.examples.find(({ outcome }) => outcome === 'connect_failed')?.detail).toContain('certificate');
    expect(service.asked.length).toBeGreaterThan(askedBefore);
  });
});
