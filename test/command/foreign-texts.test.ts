import { writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openAuthority, requireOpenssl } from '../support/certificate-authority.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, runCommand, writeScenario, type Ended } from '../support/command.ts';
import { openService } from '../support/reference-client.ts';
import { embeddedDefaults } from '../../src/scenario/embedded.ts';

const escape = String.fromCharCode(27);
/** Hides what follows, forges a line, and colours it. */
const hostile = `x${escape}[8m${escape}[2J\nFORGED line ${escape}[32mgreen\r\u202eevil`;

/** Terminal controls other than the colours of chat-load, and lines that a foreign text has begun. */
function forgeries({ stdout, stderr }: Pick<Ended, 'stdout' | 'stderr'>): string[] {
  const text = stdout + stderr;
  const own = new RegExp(`${escape}\\[(?:1|2|22|31|32|33|36|39)m`, 'g');
  return [
    ...text.split('\n').filter((line) => /^FORGED/.test(line.replace(own, ''))),
    ...text
      .replace(own, '')
      .split('\n')
      .filter((line) => /[\p{Cc}\u202e\u2066\u200f]/u.test(line)),
    ...(text.includes(`${escape}[32mgreen`) ? ['a colour of a foreign text'] : []),
  ].map((line) => JSON.stringify(line));
}

describe('a foreign text neither forges a line nor hides one', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await makeFolder();
    writeFileSync(join(folder, `${hostile}.json`), `{"kind": "chat-load/result", ${hostile}`);
    writeFileSync(join(folder, `${hostile}.ndjson`), `{"kind": ${hostile}`);
    writeFileSync(join(folder, `${hostile}.csv`), `${hostile},b\n1,2\n`);
    writeFileSync(join(folder, `${hostile}.mjs`), `throw new Error(${JSON.stringify(hostile)});`);
  });
  const colored = { CHAT_LOAD_API_KEY: embeddedDefaults.apiKey, FORCE_COLOR: '1' };
  const perform = (words: readonly string[], env: Record<string, string> = {}): Promise<Ended> =>
    performCommand(words, { ...colored, ...env }, folder);

  const missing = `missing ${hostile}`;
  test.each<[string, string[]]>([
    ['run, a missing scenario', ['run', `${missing}.mjs`]],
    ['run, a scenario that throws', ['run', `${hostile}.mjs`]],
    ['plan', ['plan', `${missing}.mjs`]],
    ['check', ['check', `${missing}.mjs`]],
    ['calibrate', ['calibrate', `${hostile}.mjs`]],
    ['capacity', ['capacity', `${missing}.mjs`]],
    ['ab', ['ab', `${missing}.mjs`, '--base', 'http://127.0.0.1:1', '--head', 'http://127.0.0.1:2']],
    ['nightly', ['nightly', `${missing}.mjs`, '--head', 'http://127.0.0.1:2']],
    ['report, a missing file', ['report', `${missing}.json`]],
    ['report, a broken file', ['report', `${hostile}.json`]],
    ['compare', ['compare', `${hostile}.json`, `${missing}.json`]],
    ['trend', ['trend', missing]],
    ['recover', ['recover', `${hostile}.ndjson`]],
    ['fit', ['fit', `${hostile}.csv`]],
    ['dataset inspect', ['dataset', 'inspect', `${hostile}.csv`]],
    ['ui', ['ui', missing]],
    ['an unknown command', [hostile]],
    ['an unknown flag', ['run', 's.mjs', `--${hostile}`, 'x']],
    ['an unusable value', ['run', `${missing}.mjs`, '--base-url', `http://${hostile}/`]],
  ])('of %s', async (how, words) => {
    // A night starts other commands; the rest show that a process prints the same as a command run in this one.
    const isAlone = ['run, a scenario that throws', 'report, a broken file', 'nightly', 'an unknown command'].includes(
      how,
    );
    const ended = await (isAlone ? runCommand(words, { cwd: folder, env: colored }) : perform(words));
    expect(forgeries(ended)).toEqual([]);
    // The text is printed, or the case shows nothing.
    expect(ended.stdout + ended.stderr).toContain('FORGED');
  });

  test('of an environment variable, a scenario name and a label', async () => {
    const named = (name: string): string =>
      `{ name: ${JSON.stringify(name)}, messages: ['a'], sessions: 1, turns: 1, embedded: {} }`;
    await writeScenario(folder, named(hostile), 'named.mjs');
    await writeScenario(folder, named('plain'), 'unnamed.mjs');
    const refused = await perform(['run', 'named.mjs']);
    expect([refused.code, forgeries(refused)]).toEqual([2, []]);
    const labelled = await perform(['run', 'unnamed.mjs', '--label', hostile]);
    expect([labelled.code, forgeries(labelled)]).toEqual([0, []]);
    expect(forgeries(await perform(['run', 'unnamed.mjs'], { CHAT_LOAD_CONCURRENCY: hostile }))).toEqual([]);
    expect(forgeries(await perform(['run', 'unnamed.mjs', '--quiet'], { CHAT_LOAD_CONCURENCY: hostile }))).toEqual([]);
  });

  test.each([[[]], [['--quiet']]])('of the folder of a result, %j', async (words) => {
    const body = "{ name: 'placed', messages: ['a'], sessions: 1, turns: 1, embedded: {} }";
    await writeScenario(folder, body, 'placed.mjs');
    const ended = await perform(['run', 'placed.mjs', '--out', join(folder, `out ${hostile}`), ...words]);
    expect([ended.code, forgeries(ended)]).toEqual([0, []]);
    expect(ended.stdout).toMatch(/\nresult {4}.*FORGED.*\nPASSED[^\n]*\n$/);
  });

  test('of Redis and of a proxy', async () => {
    const server = createServer((socket) => socket.on('error', () => 0).end(`-ERR ${hostile}\r\n`));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const place = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    await writeScenario(folder, "{ name: 'r', messages: ['a'], sessions: 1, turns: 1 }", 'plain.mjs');
    const { baseUrl } = await openService({});
    const target = ['--base-url', baseUrl, '--agent-id', embeddedDefaults.agentId];
    const fleet = await perform(['run', 'plain.mjs', ...target, '--fleet', `redis://${place}`, '--shards', '1']);
    expect(fleet.stderr).toContain('ERR x');
    expect(forgeries(fleet)).toEqual([]);
    const proxied = await perform(['run', 'plain.mjs', ...target, '--proxy', `http://${place}`]);
    expect(proxied.stderr).toMatch(/is not an HTTP proxy.*FORGED/s);
    expect(forgeries(proxied)).toEqual([]);
  });

  test.runIf(requireOpenssl())('of the issuer of a certificate', async () => {
    const authority = await openAuthority(`evil ${escape}[8m${escape}[32mgreen authority`);
    const { cert, key } = authority.issue('service', { names: 'DNS:localhost', toDays: 3 });
    const { baseUrl } = await openService({}, { tls: { cert: cert.toString(), key: key.toString() } });
    await writeScenario(folder, "{ name: 'r', messages: ['a'], sessions: 1, turns: 1 }", 'plain.mjs');
    const target = ['--base-url', baseUrl.replace('127.0.0.1', 'localhost'), '--agent-id', embeddedDefaults.agentId];
    const ended = await perform(['run', 'plain.mjs', ...target, '--ca', authority.certFile]);
    expect(ended.stderr).toContain('The certificate of the target');
    expect(forgeries(ended)).toEqual([]);
  });
});
