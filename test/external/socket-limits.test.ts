import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { embeddedDefaults, embeddedOptions } from '../../src/scenario/embedded.ts';
import { startService } from '../../src/reference-service/start.ts';
import { openPeer, openTestSender, response, sendOne } from '../support/http-peer.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, readResult, root, writeScenario, type Ended } from '../support/command.ts';

const main = join(root, 'dist/cli/main.js');
const hasPosixLimits = process.platform !== 'win32';

/** The built command in a shell that may open this number of files. */
async function underLimit(
  descriptors: number,
  words: readonly string[],
  env: Record<string, string> = {},
): Promise<Ended> {
  const script = 'ulimit -n "$0" && exec "$@"';
  const args = ['-c', script, String(descriptors), process.execPath, main, ...words];
  const surroundings = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('CHAT_LOAD_')),
  );
  return promisify(execFile)('sh', args, { cwd: root, env: { ...surroundings, ...env, CI: 'true' } }).then(
    (ended) => ({ ...ended, code: 0 }),
    (failed: unknown) => failed as Ended, // A code that is not 0, with the output beside it.
  );
}

/** Opens a target that counts connections, for one test. */
async function openDoor(host = '127.0.0.1'): Promise<{ port: number; visits: () => number }> {
  let visits = 0;
  const server = createServer((socket) => {
    visits += 1;
    socket.destroy();
  }).listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, visits: () => visits };
}

/** A folder that is removed after the test. */
async function ownFolder(): Promise<string> {
  const folder = await makeFolder();
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

const key = { CHAT_LOAD_API_KEY: 'sk-limits-0123456789' };
const small = (load: string, more = ''): string =>
  `{ name: 'limits', sessions: 2000, load: ${load}, messages: ['Hello'], ${more} }`;

describe.runIf(hasPosixLimits)('a process with few descriptors', () => {
  test('does not start a load that needs more, and reports the kind, the number and the remedy', async () => {
    const { port, visits } = await openDoor();
    const folder = await ownFolder();
    const scenario = await writeScenario(folder, small('{ concurrency: 300 }'));
    const target = ['--base-url', `http://127.0.0.1:${String(port)}`, '--agent-id', 'a'];
    const { code, stderr } = await underLimit(256, ['run', scenario, ...target, '--out', folder], key);
    expect([code, visits()]).toEqual([3, 0]);
    expect(stderr).toContain('error the load needs 300 connections at once, but the limit of 256 open files');
    expect(stderr).toContain('--concurrency 192');
    expect(stderr).toContain('`ulimit -n 364`');
    expect(stderr).toContain('Nothing was sent.');
  });

  test('starts the load that was reported to fit, and does not run out', async () => {
    const folder = await ownFolder();
    const scenario = await writeScenario(folder, small('{ concurrency: 300 }', "embedded: { latency: '200ms' }"));
    await underLimit(256, ['run', scenario, '--sessions', '400', '--concurrency', '192', '--out', folder, '-q']);
    const result = await readResult(folder);
    expect([result.books.turns.ok, result.generator?.descriptorsExhausted]).toEqual([400, 0]);
    expect(result.rates.traffic?.connectionsOpened).toBeGreaterThanOrEqual(192);
  });

  test('warns, and notes in the result, if only slow replies would need more', async () => {
    const folder = await ownFolder();
    const load = '{ sessionsPerSecond: 20, maxConcurrency: 300 }';
    const scenario = await writeScenario(folder, small(load, "duration: '500ms'"));
    const { stderr } = await underLimit(256, ['run', scenario, '--out', folder]);
    const { warnings } = await readResult(folder);
    expect(warnings.map(({ code }) => code)).toEqual(['few_descriptors']);
    expect(stderr).toContain('warning: The load may need up to 300 connections at once');
  });

  test('is reported by plan too, with the same figures', async () => {
    const words = ['plan', 'scenarios/smoke.ts', '--concurrency', '300', '--preview', '0'];
    const { code, stdout } = await underLimit(256, words);
    const text = stdout.replaceAll(/\s+/g, ' ');
    expect(code).toBe(0);
    expect(text).toContain('limit 256, 64 reserved for the process itself: at most 192 connections');
    expect(text).toMatch(
      /would not start on this machine: the load (needs|is forecast to need about) \d+ connections at once/,
    );
    const { sockets } = JSON.parse((await underLimit(256, [...words, '--json'])).stdout) as { sockets: object };
    expect(sockets).toMatchObject({
      byDescriptors: 192,
      shortages: [{ resource: 'descriptors', stops: true, room: 192 }],
    });
  });
});

/** Forwards to the reference service, and records the addresses of connections. */
async function openGate(): Promise<{ baseUrl: string; visitors: string[] }> {
  const service = await startService(embeddedOptions.parse({ latency: '50ms' }), { host: '127.0.0.1', port: 0 });
  const visitors: string[] = [];
  const server = createServer((socket) => {
    visitors.push(socket.remoteAddress ?? '');
    const inner = connect(Number(new URL(service.baseUrl).port), '127.0.0.1');
    pipeline(socket, inner, socket, () => undefined); // Connections end as the command likes; the visitors are what counts.
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    await service.close();
  });
  return { baseUrl: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, visitors };
}

const serviceKey = { CHAT_LOAD_API_KEY: embeddedDefaults.apiKey };
const countOf = (visitors: readonly string[], address: string): number =>
  visitors.filter((each) => each === address).length;

// Skipped elsewhere: only Linux has all of 127/8 on its loopback, without anybody adding 127.0.0.2 to it.
describe.runIf(process.platform === 'linux')('local addresses (Linux has all of 127/8)', () => {
  test.each([
    ['flags', ['--local-address', '127.0.0.2', '--local-address', '127.0.0.3'], {}],
    ['the environment', [], { CHAT_LOAD_LOCAL_ADDRESSES: '127.0.0.2,127.0.0.3' }],
  ])('given by %s are dealt to connections evenly', async (_, flags, env) => {
    const { baseUrl, visitors } = await openGate();
    const folder = await ownFolder();
    const scenario = await writeScenario(folder, small('{ concurrency: 40 }').replace('2000', '80'));
    // The flags are before the scenario: they take no more than one address each.
    const words = ['run', ...flags, scenario, '--base-url', baseUrl, '--agent-id', 'agent-support', '--out', folder];
    await performCommand(words, { ...serviceKey, ...env });
    const result = await readResult(folder);
    expect(result.books.turns.ok).toBe(80);
    expect(result.scenario.plan.target.localAddresses).toEqual(['127.0.0.2', '127.0.0.3']);
    const [second, third] = [countOf(visitors, '127.0.0.2'), countOf(visitors, '127.0.0.3')];
    expect(second + third).toBe(visitors.length);
    expect(second).toBeGreaterThanOrEqual(20);
    expect(Math.abs(second - third)).toBeLessThanOrEqual(1);
  });

  test.each([
    ['is not on this machine', '192.0.2.77', 'the local address does not belong to this machine (EADDRNOTAVAIL'],
    ['is of another family than the target', '::1', 'have different families'],
  ])('of which one %s stop the run before it starts, by name', async (_, address, words) => {
    const { port, visits } = await openDoor();
    const folder = await ownFolder();
    const scenario = await writeScenario(folder, small('{ concurrency: 4 }'));
    const target = ['--base-url', `http://127.0.0.1:${String(port)}`, '--agent-id', 'a', '--local-address', address];
    const { code, stderr } = await performCommand(['run', scenario, ...target, '--out', folder], key);
    expect([code, visits()]).toEqual([3, 0]);
    expect(stderr).toContain(`cannot be reached from the local address ${address}`);
    expect(stderr).toContain(words);
  });

  test('reach a target by its name too', async () => {
    const peer = await openPeer(({ socket }) => void socket.write(response('{}')));
    const sender = openTestSender(peer.port, {
      baseUrl: new URL(`http://localhost:${String(peer.port)}`),
      localAddresses: ['127.0.0.2'],
    });
    expect((await sendOne(sender)).status).toBe(200);
    expect(peer.sockets.map(({ remoteAddress }) => remoteAddress)).toEqual(['127.0.0.2']);
  });

  test('apply to TLS connections too', async () => {
    const fixture = (name: string): string => readFileSync(join(root, 'test/fixtures', name), 'utf8');
    const [tlsKey, cert] = [fixture('test-only-localhost.key.pem'), fixture('test-only-localhost.cert.pem')];
    const peer = await openPeer(({ socket }) => void socket.write(response('{}')), { key: tlsKey, cert });
    const baseUrl = new URL(`https://localhost:${String(peer.port)}`);
    const sender = openTestSender(peer.port, { baseUrl, tls: { ca: cert }, localAddresses: ['127.0.0.3'] });
    expect((await sendOne(sender)).status).toBe(200);
    expect(peer.sockets[0]?.remoteAddress).toBe('127.0.0.3');
  });
});
