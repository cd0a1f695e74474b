import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { conduct } from '../support/conduct.ts';
import { openStickyBalancer, type StickyBalancer } from '../support/sticky-balancer.ts';

const sessions = 12;
const turns = 4;
const play = (
  { baseUrl }: Pick<StickyBalancer, 'baseUrl'>,
  target: NonNullable<Scenario['target']>,
  more: Partial<Scenario> = {},
) => conduct({ sessions, turns, load: { concurrency: 3 }, onFailedTurn: 'continue', ...more, target }, { baseUrl });

describe('a service behind a load balancer that keeps clients by a cookie', () => {
  test('keeps every session at its backend, each by a separate cookie', async () => {
    const balancer = await openStickyBalancer();
    const { books } = await play(balancer, { cookies: true });
    expect(books.balanced).toBe(true);
    expect(books.turns).toMatchObject({ ok: sessions * turns, failed: 0 });
    expect(balancer.strangers).toBe(0);
    const cookies = balancer.heads.map(({ headers }) => headers.cookie);
    expect(cookies.filter((cookie) => cookie === undefined)).toHaveLength(sessions);
    expect(cookies.filter((cookie) => cookie === 'lb=1')).toHaveLength((sessions / 2) * turns);
  });

  test('finds turns at the wrong backend without cookies', async () => {
    const balancer = await openStickyBalancer();
    const { books } = await play(balancer, {});
    expect(balancer.strangers).toBeGreaterThan(sessions);
    expect(books.turns.failed).toBe(balancer.strangers);
    expect(balancer.heads.filter(({ headers }) => headers.cookie !== undefined)).toEqual([]);
  });

  test.each<[string, (backend: number) => string[], boolean]>([
    ['a path of its own', (n) => [`lb=${String(n)}; Path=/elsewhere`], false],
    ['the domain of another', (n) => [`lb=${String(n)}; Domain=example.com`], false],
    ['an end in the past', (n) => [`lb=${String(n)}; Max-Age=0`], false],
    ['a later line', (n) => ['theme=dark; Path=/', `lb=${String(n)}; Path=/api`], true],
  ])('receives a cookie with %s as its attributes require', async (_, cookie, isSent) => {
    const balancer = await openStickyBalancer({ cookie });
    await play(balancer, { cookies: true });
    const sent = balancer.heads.filter(({ headers }) => /lb=/.test(headers.cookie ?? ''));
    expect(sent).toHaveLength(isSent ? sessions * turns : 0);
  });
});

test('headers are sent as written, by session and turn, and those of the client are unchanged', async () => {
  const balancer = await openStickyBalancer();
  const headers = {
    'x-Tenant': '{{pick tenants.name}}',
    'X-Turn': '{{turn.number}}',
    'User-Agent': 'mine/1',
    'X-Name': 'Zo\xeb',
  };
  const data = { tenants: ['a', 'b'].map((name) => ({ name })) };
  const { books } = await play(balancer, { headers, cookies: true }, { data, messages: ['Grüße ✓'] });
  expect(books.turns.ok).toBe(sessions * turns);
  const [first, second] = balancer.heads;
  expect(first?.raw.filter((_, index) => index % 2 === 0)).toEqual([
    'Host',
    'Authorization',
    'Content-Type',
    'Accept',
    'Accept-Encoding',
    'Connection',
    'User-Agent',
    'Content-Length',
    'x-Tenant',
    'X-Turn',
    'X-Name',
  ]);
  expect(first?.headers['user-agent']).toBe('mine/1');
  expect(second?.headers['x-name']).toBe('Zo\xeb');
  const valuesOf = (name: string): string[] => balancer.heads.map(({ headers: each }) => String(each[name])).toSorted();
  expect(valuesOf('x-turn')).toEqual(['0', '1', '2', '3', '4'].flatMap((turn) => Array<string>(sessions).fill(turn)));
  expect([...new Set(valuesOf('x-tenant'))]).toEqual(['a', 'b']);
});

test('every attempt has its own trace, and the trace of every example is known to the service', async () => {
  const balancer = await openStickyBalancer();
  const { examples } = await play(balancer, { trace: true });
  const seen = balancer.heads.map(({ headers }) => String(headers['traceparent']));
  expect(seen.filter((parent) => !/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/.test(parent))).toEqual([]);
  const ids = new Set(seen.map((parent) => parent.slice(3, 35)));
  expect(ids).toHaveLength(sessions * (turns + 1));
  expect(examples.length).toBeGreaterThan(5);
  expect(examples.filter(({ traceId }) => !ids.has(traceId ?? ''))).toEqual([]);
  const again = await openStickyBalancer();
  await play(again, { trace: true });
  expect(again.heads.filter(({ headers }) => ids.has(String(headers['traceparent']).slice(3, 35)))).toEqual([]);
});

test('a run without traces has no ids in its examples', async () => {
  const { examples } = await play(await openStickyBalancer(), {});
  expect(new Set(examples.map(({ traceId }) => traceId))).toEqual(new Set([null]));
});

test('streamed replies set cookies too', async () => {
  const cookies: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    cookies.push(request.headers.cookie);
    request.resume().on('end', () => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Set-Cookie': `n=${String(cookies.length)}` });
      const piece = { choices: [{ index: 0, delta: { content: 'Hi' } }] };
      const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
      response.end(`data: ${JSON.stringify(piece)}\n\ndata: ${JSON.stringify(end)}\n\ndata: [DONE]\n\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const baseUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const target = { cookies: true, protocol: 'openai-chat', stream: true } as const;
  const { books } = await play({ baseUrl }, target, { sessions: 1 });
  expect(books.turns.ok).toBe(turns);
  expect(cookies).toEqual([undefined, 'n=1', 'n=2', 'n=3']);
});
