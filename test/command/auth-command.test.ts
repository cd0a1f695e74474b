import { join } from 'node:path';
import { OAuth2Server } from 'oauth2-mock-server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { calibratedHere } from '../support/calibrated-here.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, readResult, writeScenario, type Ended } from '../support/command.ts';
import { openHeadsJudge, type HeadsJudge } from '../support/heads-judge.ts';
import { judged } from '../support/judge-service.ts';

const noKey = { CHAT_LOAD_API_KEY: '' };

/** An authorization server for one test, and the number of its requests. */
async function openOAuth(): Promise<{ url: string; asked: () => number }> {
  const server = new OAuth2Server();
  let asked = 0;
  await server.issuer.keys.generate('RS256');
  await server.start(0, '127.0.0.1');
  server.service.on('beforeResponse', () => asked++);
  onTestFinished(() => server.stop());
  return { url: `http://127.0.0.1:${String(server.address().port)}/token`, asked: () => asked };
}

/** Performs a command with a scenario whose target is authorized in this way. */
async function perform(
  command: readonly string[],
  { baseUrl }: Pick<HeadsJudge, 'baseUrl'>,
  { auth, env = {} }: { auth: string; env?: Record<string, string> },
): Promise<Ended & { folder: string }> {
  const folder = await makeFolder();
  const target = auth === '' ? '' : `target: { agentId: 'a', auth: ${auth} },`;
  await writeScenario(folder, judged(`sessions: 8, turns: 2, load: { concurrency: 4 }, ${target}`));
  const [verb = '', ...words] = command;
  const ended = await performCommand(
    [verb, 'scenario.mjs', '--base-url', baseUrl, ...words],
    { ...noKey, ...env },
    folder,
  );
  return { ...ended, folder };
}

const run = ['run', '--out', 'out', '--quiet'];
const ways = ['a command', "'none'", 'OAuth'] as const;

/** Opens a target for one kind of authorization: the scenario, the environment and the expected header. */
async function openWay(way: (typeof ways)[number]) {
  if (way === "'none'") return { auth: way, env: {}, came: /^undefined$/, tokens: (): number => 0 };
  const command = { CHAT_LOAD_TOKEN_COMMAND: 'printf %s the-printed-token' };
  if (way === 'a command') return { auth: '', env: command, came: /^Bearer the-printed-token$/, tokens: Number };
  const { url } = await openOAuth();
  const env = { CHAT_LOAD_OAUTH_CLIENT_SECRET: 'the-secret-of-me' };
  return {
    auth: `{ oauth: { tokenUrl: '${url}', clientId: 'me' } }`,
    env,
    came: /^Bearer [\w-]+\.[\w-]+\./,
    tokens: Number,
  };
}

describe.each(ways)('authorization by %s', (way) => {
  test.each(['1', '2'])('applies to every request of a run on %s cores', async (cores) => {
    const judge = await openHeadsJudge({ kind: 'http' });
    const { came, tokens, ...by } = await openWay(way);
    const ended = await perform([...run, '--cores', cores], judge, by);
    expect(ended.code, ended.stderr).toBe(0);
    const { books, transport } = await readResult(join(ended.folder, 'out'));
    expect(books.turns).toMatchObject({ ok: 16, failed: 0 });
    expect(judge.heads).toHaveLength(24);
    for (const { authorization } of judge.heads) expect(String(authorization)).toMatch(came);
    // Each process has its own token.
    const fetched = tokens(cores);
    expect(transport?.tokens).toEqual(fetched === 0 ? null : { fetched, failed: 0, retried: 0 });
  });

  test('applies to a check, and rules about keys are tested if there is one', async () => {
    const judge = await openHeadsJudge({ kind: 'http' });
    const { came, ...by } = await openWay(way);
    const ended = await perform(['check', '--pause', '0s', '--json'], judge, by);
    expect(ended.code, ended.stderr).toBeLessThan(2);
    const { rules } = JSON.parse(ended.stdout) as { rules: { id: string; verdict: string; seen: string }[] };
    const ofKeys = rules.filter(({ id }) => id.startsWith('key-'));
    expect(ofKeys.length).toBeGreaterThan(0);
    // The service takes every key: rules that are tried find that out.
    const found =
      way === "'none'"
        ? ['skipped', expect.stringContaining('the scenario sends no key') as string]
        : ['fail', '200 "Hi."'];
    expect(ofKeys.map(({ verdict, seen }) => [verdict, seen])).toContainEqual(found);
    const others = judge.heads.filter(({ authorization }) => !came.test(String(authorization)));
    expect(judge.heads.length - others.length).toBeGreaterThan(10);
    expect(others.length).toBeLessThanOrEqual(way === "'none'" ? 0 : 2 * ofKeys.length);
  });

  test('applies to calibrate', async () => {
    const judge = await openHeadsJudge({ kind: 'http' });
    const { came, ...by } = await openWay(way);
    const calibrated = { ...by, env: { ...by.env, ...(await calibratedHere()) } };
    const ended = await perform(
      ['calibrate', '--step-duration', '300ms', '--max-connections', '1', '--json'],
      judge,
      calibrated,
    );
    expect(ended.code, ended.stderr).not.toBe(70);
    expect(judge.heads.length).toBeGreaterThan(4);
    for (const { authorization } of judge.heads) expect(String(authorization)).toMatch(came);
  });
});
