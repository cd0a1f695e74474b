import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { tlsFilesReader } from '../../src/edge/disk/read-tls-files.ts';
import { loadScenario } from '../../src/edge/disk/scenario/load-scenario.ts';
import { toolVersion } from '../../src/edge/tool-version.ts';
import { resolveScenario } from '../../src/plan/resolve-scenario.ts';
import { openPlace, wait, type FleetPlace } from '../support/fleet-place.ts';
import { openHostileCoordinator, type OfferedJob } from '../support/hostile-coordinator.ts';
import { judged } from '../support/judge-service.ts';
import { requireRedis } from '../support/redis-server.ts';

const hasRedis = requireRedis();

const short = judged("sessions: 2, turns: 1, load: { concurrency: 1 }, thinkTime: '1ms'");

/** The job of a coordinator with these flags, for a scenario of the folder. */
async function jobFor(
  { folder, judge }: FleetPlace,
  flags: Record<string, unknown> = {},
  differing: Partial<OfferedJob> = {},
): Promise<OfferedJob> {
  const file = join(folder, 'scenario.mjs');
  const readTlsFiles = tlsFilesReader({ ofScenario: folder, ofCommand: folder });
  const around = { flags: { 'base-url': judge.baseUrl, ...flags }, environment: { CHAT_LOAD_API_KEY: 'k' } };
  const { plan } = resolveScenario(await loadScenario(file), { ...around, readTlsFiles });
  return {
    run: randomUUID(),
    salt: 'a0a0a0a0',
    shard: { index: 0, count: 1 },
    scenario: 'scenario.mjs',
    scenarioDigest: await digestOf(file),
    plan,
    sample: null,
    baseUrl: judge.baseUrl,
    toolVersion,
    nodeMajor: Number.parseInt(process.versions.node),
    ...differing,
  };
}

const digestOf = async (file: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex');

/** Starts a worker of the built command that may run these scenarios. */
async function startWorker(
  { start }: FleetPlace,
  words: readonly string[] = ['scenario.mjs'],
  env: Record<string, string> = {},
) {
  const worker = start(['worker', ...words], { env });
  await wait(() => worker.said().includes('Waiting for shards'));
  return worker;
}

/** A proxy that forwards nothing and records its requests. */
async function openSink(): Promise<{ url: string; asked: unknown[] }> {
  const asked: unknown[] = [];
  const server = createServer(({ url, headers }, response) => {
    asked.push(url, headers);
    response.writeHead(502).end();
  }).on('connect', ({ url }, socket) => {
    asked.push(url);
    socket.end('HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, asked };
}

/** The job as if its coordinator had been given this proxy. */
function askingFor(proxy: string | null, job: OfferedJob): OfferedJob {
  const { plan, ...rest } = structuredClone(job);
  const { target, options, ...planned } = plan as Record<'target' | 'options', object>;
  const asked = { ...options, 'target.proxy': { value: '(set)', from: 'flag' } };
  return { ...rest, plan: { ...planned, target: { ...target, proxy }, options: asked } };
}

describe.runIf(hasRedis)('a hostile coordinator', () => {
  test('is served if nothing is wrong with its job', async () => {
    const place = await openPlace(short);
    await startWorker(place);
    const reply = await openHostileCoordinator(place.redis.url).offer(await jobFor(place));
    expect(reply).toMatchObject({ kind: 'ready' });
    expect(place.judge.messages).toHaveLength(2);
  });

  test.each(['scripts/wipe.mjs', './scripts/../scripts/wipe.mjs', 'node_modules/wipe/index.mjs', '.hooks/wipe.mjs'])(
    'has no module executed that the command line of the worker does not name: %s',
    async (path) => {
      const place = await openPlace(short);
      const file = join(place.folder, path);
      await mkdir(dirname(file), { recursive: true });
      const trace = join(place.folder, 'executed');
      await writeFile(
        file,
        `import { writeFileSync } from 'node:fs';\n` +
          `writeFileSync(${JSON.stringify(trace)}, process.env.CHAT_LOAD_API_KEY ?? '');\nexport default {};\n`,
      );
      const worker = await startWorker(place);
      const job = await jobFor(place, {}, { scenario: path, scenarioDigest: await digestOf(file) });
      const reply = await openHostileCoordinator(place.redis.url).offer(job);
      expect(existsSync(trace)).toBe(false);
      expect(reply).toMatchObject({ kind: 'refused', message: expect.stringContaining('command line') as string });
      expect(worker.said()).toContain('refused');
    },
  );

  test('has no module of node_modules or of a hidden folder executed, although a pattern would match it', async () => {
    const place = await openPlace(short);
    for (const path of ['node_modules/wipe/index.mjs', '.hooks/wipe.mjs']) {
      await mkdir(dirname(join(place.folder, path)), { recursive: true });
      await writeFile(join(place.folder, path), 'export default {};\n');
    }
    await startWorker(place, ['**/*.mjs']);
    const coordinator = openHostileCoordinator(place.redis.url);
    for (const scenario of ['node_modules/wipe/index.mjs', '.hooks/wipe.mjs'])
      expect(await coordinator.offer(await jobFor(place, {}, { scenario }))).toMatchObject({ kind: 'refused' });
    expect(await coordinator.offer(await jobFor(place))).toMatchObject({ kind: 'ready' });
  });

  test('cannot make a worker execute a scenario whose bytes differ from the known ones', async () => {
    const place = await openPlace(short);
    const file = join(place.folder, 'scenario.mjs');
    const known = await digestOf(file);
    await startWorker(place);
    const trace = join(place.folder, 'executed');
    const job = await jobFor(place);
    const text = await readFile(file, 'utf8');
    await writeFile(
      file,
      `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(trace)}, '');\n${text}`,
    );
    const coordinator = openHostileCoordinator(place.redis.url);
    const now = await digestOf(file);
    // Replaced since the worker was started: it is not executed with the old digest or the new one.
    const replies = [
      await coordinator.offer(job),
      await coordinator.offer({ ...job, run: randomUUID(), scenarioDigest: now }),
    ];
    expect(existsSync(trace)).toBe(false);
    for (const reply of replies) {
      expect(reply).toMatchObject({ kind: 'refused' });
      for (const digest of [known, now]) expect(reply['message']).toContain(digest.slice(0, 12));
    }
  });

  test('does not get the key over plain HTTP, or at another port, of a host that the scenario names with https', async () => {
    const place = await openPlace(short, { listen: '0.0.0.0' });
    const text = await readFile(join(place.folder, 'scenario.mjs'), 'utf8');
    await writeFile(
      join(place.folder, 'scenario.mjs'),
      text.replace("agentId: 'a'", "agentId: 'a', baseUrl: 'https://0.0.0.0'"),
    );
    await startWorker(place);
    const { port } = new URL(place.judge.baseUrl);
    const baseUrl = `http://0.0.0.0:${port}/`;
    const job = await jobFor(place, { 'base-url': baseUrl }, { baseUrl });
    const reply = await openHostileCoordinator(place.redis.url).offer(job);
    expect([place.judge.creations, place.judge.messages]).toEqual([0, []]);
    expect(reply).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining(`http://0.0.0.0:${port}`) as string,
    });
  });

  test('learns nothing of the files of a worker from the files of TLS in its job', async () => {
    const place = await openPlace(short);
    await writeFile(join(place.folder, 'there.txt'), 'no certificate');
    await startWorker(place);
    const coordinator = openHostileCoordinator(place.redis.url);
    const told: unknown[] = [];
    for (const name of ['there.txt', 'missing.txt']) {
      const path = join(place.folder, name);
      const job = structuredClone(await jobFor(place));
      const { options } = job['plan'] as { options: Record<string, unknown> };
      for (const option of ['ca', 'cert', 'key']) options[`target.tls.${option}`] = { value: path, from: 'flag' };
      const { kind, message } = await coordinator.offer(job);
      told.push([kind, String(message).replaceAll(path, 'PATH')]);
    }
    expect(told[0]).toEqual(told[1]);
    expect(JSON.stringify(told)).not.toMatch(/no such file|BEGIN CERTIFICATE/);
  });

  test('names no proxy for a worker, not even on its own machine', async () => {
    const [place, sink] = await Promise.all([openPlace(short), openSink()]);
    await startWorker(place);
    const reply = await openHostileCoordinator(place.redis.url).offer(askingFor(sink.url, await jobFor(place)));
    expect(sink.asked).toEqual([]);
    expect([reply, place.judge.creations]).toMatchObject([
      { kind: 'refused', message: expect.stringContaining(sink.url) as string },
      0,
    ]);
  });

  test('does not lead a worker past its own proxy', async () => {
    const [place, sink] = await Promise.all([openPlace(short, { listen: '0.0.0.0' }), openSink()]);
    const { baseUrl } = place.judge;
    await startWorker(place, ['scenario.mjs', '--allow-host', baseUrl], { CHAT_LOAD_PROXY: sink.url });
    const coordinator = openHostileCoordinator(place.redis.url);
    expect(await coordinator.offer(askingFor(null, await jobFor(place)))).toMatchObject({
      kind: 'refused',
      hint: expect.stringContaining('CHAT_LOAD_PROXY') as string,
    });
    // Without a request it uses its own proxy.
    expect(await coordinator.offer(await jobFor(place))).toMatchObject({ kind: 'ready' });
    expect(sink.asked).toContain(new URL(baseUrl).host);
    expect([place.judge.creations, place.judge.messages]).toEqual([0, []]);
  });

  test('has no key sent through the proxy of a worker to a target on this machine', async () => {
    const [place, sink] = await Promise.all([openPlace(short), openSink()]);
    await startWorker(place, ['scenario.mjs'], { CHAT_LOAD_PROXY: sink.url });
    const reply = await openHostileCoordinator(place.redis.url).offer(await jobFor(place));
    expect(sink.asked).toEqual([]);
    expect(reply).toMatchObject({ kind: 'ready' });
    expect(place.judge.messages).toHaveLength(2);
  });

  test.each<[string, (job: OfferedJob) => OfferedJob]>([
    ['of another form', ({ plan, ...job }) => ({ ...job, plan: Object.keys(plan as object) })],
    ['with a plan that is nested too deep', (job) => ({ ...job, plan: nested(300) })],
  ])('receives an error if its job is not a shard: %s', async (_, spoil) => {
    const place = await openPlace(short);
    const { said } = await startWorker(place);
    const reply = await openHostileCoordinator(place.redis.url).offer(spoil(await jobFor(place)));
    expect(reply).toMatchObject({ kind: 'refused', message: expect.stringContaining('not a shard') as string });
    await wait(() => said().includes('refused: '));
  });
});

const nested = (levels: number): unknown => (levels === 0 ? {} : { plan: nested(levels - 1) });
