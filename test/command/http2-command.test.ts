import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Result } from '../../src/result/result.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, readResult, writeScenario, type Ended } from '../support/command.ts';
import { judgeCa, openHeadsJudge, type HeadsJudge } from '../support/heads-judge.ts';
import { judged, judgedKey } from '../support/judge-service.ts';

const cores = [['1'], ['2']] as const;
const kinds = ['h2', 'h2c'] as const;

async function run(judge: HeadsJudge, words: string[], rest = ''): Promise<Ended & { result: Result }> {
  const folder = await makeFolder();
  await writeScenario(folder, judged(`sessions: 12, turns: 3, load: { concurrency: 4 }, ${rest}`));
  const tls = judge.baseUrl.startsWith('https') ? ['--ca', judgeCa] : [];
  const given = ['run', 'scenario.mjs', '--base-url', judge.baseUrl, '--out', 'out', ...tls, ...words];
  const ended = await performCommand(given, judgedKey, folder);
  expect(ended.code, ended.stderr).toBe(0);
  return { ...ended, result: await readResult(join(folder, 'out')) };
}

/** Expectations for every run of 12 sessions with three turns. */
function expectBooks({ result }: { result: Result }, judge: HeadsJudge): void {
  expect(judge.heads).toHaveLength(48);
  expect(result.books.turns).toMatchObject({ ok: 36, failed: 0 });
  expect(result.transport?.exchanges).toEqual({ http1: 0, http2: 48 });
  expect(result.transport?.http2).toEqual({ goAways: 0, refusedStreams: 0 });
  expect(result.scenario.plan.target.http2).toBe(true);
}

describe('HTTP/2 is used without a flag by', () => {
  test.each(['check', 'try'])('the requests of %s', async (command) => {
    const judge = await openHeadsJudge({ kind: 'h2' });
    const folder = await makeFolder();
    await writeScenario(folder, judged('sessions: 1, turns: 2'));
    const given = [command, 'scenario.mjs', '--base-url', judge.baseUrl, '--ca', judgeCa];
    const { code, stderr } = await performCommand(given, judgedKey, folder);
    expect(code, stderr).toBeLessThan(2);
    expect(judge.heads.length).toBeGreaterThan(2);
    expect(judge.heads.every((head) => head[':path'] !== undefined)).toBe(true);
  });
});

test('calibrate refuses a target that only supports HTTP/2, before anything is sent', async () => {
  const judge = await openHeadsJudge({ kind: 'h2' });
  const given = ['calibrate', '--base-url', judge.baseUrl, '--agent-id', 'a', '--ca', judgeCa];
  const { code, stderr } = await performCommand(given, judgedKey);
  expect([code, judge.heads.length]).toEqual([3, 0]);
  expect(stderr).toContain('does not support HTTP/2');
});

describe('a run over HTTP/2', () => {
  test.each(kinds.flatMap((kind) => cores.map(([count]) => [kind, count] as const)))(
    'by %s on %s cores has the counts of the service',
    async (kind, count) => {
      const judge = await openHeadsJudge({ kind });
      const { result, stdout } = await run(judge, ['--http2', '--cores', count]);
      expectBooks({ result }, judge);
      const { tls, addresses } = result.transport ?? {};
      const { handshakes = 0, resumed = 0 } = tls ?? {};
      const connections = addresses?.reduce((sum, each) => sum + each.connections, 0) ?? 0;
      expect(addresses).toEqual([{ address: '127.0.0.1', connections, exchanges: 48 }]);
      // Each process has checked before the start that the file exists.
      expect(judge.connections - connections).toBe(Number(count));
      expect([handshakes, resumed]).toEqual(kind === 'h2' ? [connections, judge.resumed] : [0, 0]);
      expect(judge.names.every((name) => name === 'localhost')).toBe(true);
      expect(stdout).toContain('HTTP/2');
    },
  );

  test.each(cores)('is made without a flag if the server supports nothing else, on %s cores', async (count) => {
    const judge = await openHeadsJudge({ kind: 'h2' });
    const ended = await run(judge, ['--cores', count]);
    expectBooks(ended, judge);
    expect(ended.stderr.match(/supports only HTTP\/2/g)).toHaveLength(1);
  });

  test.each(kinds)('carries headers, cookies and traces by %s', async (kind) => {
    const setCookie = (session: number): string[] => [`sid=s${String(session)}; Path=/; HttpOnly`, 'lang=de'];
    const judge = await openHeadsJudge({ kind, setCookie });
    const ended = await run(judge, ['--http2', '--cookies', '--trace', '--header', 'X-Tenant: acme']);
    expectBooks(ended, judge);
    expect(judge.heads.map((head) => head['x-tenant'])).toEqual(Array(48).fill('acme'));
    const traces = judge.heads.map((head) => String(head['traceparent']));
    expect(new Set(traces).size).toBe(48);
    for (const trace of traces) expect(trace).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-0[01]$/);
    const cookies = judge.heads.flatMap(({ cookie }) => (cookie === undefined ? [] : [cookie]));
    expect(cookies).toHaveLength(36);
    for (const cookie of cookies) expect(cookie).toMatch(/^(sid=s\d+; lang=de|lang=de; sid=s\d+)$/);
    expect(new Set(cookies.map((cookie) => /s\d+/.exec(cookie)?.[0])).size).toBe(12);
  });

  test.each(kinds)('continues with a renewed token by %s', async (kind) => {
    const refuses = ({ authorization = '' }: HeadsJudge['heads'][number]): boolean => authorization.endsWith('token-1');
    const judge = await openHeadsJudge({ kind, refuses });
    const token = "let asked = 0; return () => ({ value: 'the-token-' + String(++asked) });";
    const auth = `target: { agentId: 'a', auth: { token: (() => { ${token} })() } }`;
    const { result } = await run(judge, ['--http2'], auth);
    expect(result.books.turns).toMatchObject({ ok: 36, failed: 0 });
    const refused = judge.heads.filter(refuses).length;
    expect(judge.heads).toHaveLength(48 + refused);
    expect(result.transport?.tokens).toEqual({ fetched: 2, failed: 0, retried: refused });
  });

  test.each(kinds)('uses a Unix socket, with %s', async (kind) => {
    const unixSocket = join(await makeFolder(), 'agent.sock');
    const judge = await openHeadsJudge({ kind, unixSocket });
    const ended = await run(judge, ['--http2', '--unix-socket', unixSocket]);
    expectBooks(ended, judge);
    expect(ended.result.transport?.addresses).toMatchObject([{ address: `unix:${unixSocket}`, exchanges: 48 }]);
    expect(judge.heads.every((head) => head[':authority'] === new URL(judge.baseUrl).host)).toBe(true);
    expect(judge.names.every((name) => name === 'localhost')).toBe(true);
  });
});
