import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { onTestFinished, describe, expect, test } from 'vitest';
import { openExporters } from '../../src/edge/metrics/open-exporters.ts';
import type { Result } from '../../src/result/result.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, readResult, writeScenario } from '../support/command.ts';
import { disagreements } from '../support/expected-metrics.ts';
import { sumOf } from '../support/exported-metrics.ts';
import { unusedPort } from '../support/http-peer.ts';
import {
  readOtlp,
  readSamples,
  resourceOfOtlp,
  valuesOfOtlp,
  valuesOfSamples,
  type OtlpMessage,
} from '../support/read-exports.ts';

/** Half a second, with a warm-up, retries and failures. */
const scenario = `{
  name: 'exported', seed: 3, sessions: 80, turns: { min: 1, max: 4 }, load: { concurrency: 10 }, warmUp: '100ms',
  embedded: { latency: { median: '8ms', sigma: 0.3 }, faults: [
    { kind: 'rate_limited', share: 0.1, retryAfter: '0s' }, { kind: 'http', status: 404, share: 0.05 },
  ] },
  retry: { maxAttempts: 3, base: '2ms' }, messages: ['Hello'],
}`;

interface Performed {
  /** Whether the run ended normally with consistent counts; generator delays are ignored. */
  isWhole: boolean;
  stderr: string;
  result: Result;
}

async function perform(words: readonly string[], env: Record<string, string> = {}): Promise<Performed> {
  const folder = await makeFolder();
  await writeScenario(folder, scenario);
  const { stderr } = await performCommand(['run', 'scenario.mjs', '--out', 'out', ...words], env, folder);
  const result = await readResult(join(folder, 'out'));
  return { isWhole: result.run.status === 'completed' && result.books.balanced === true, stderr, result };
}

/** Codes of the warnings about metrics export. */
const codesOf = ({ result }: Performed): string[] =>
  result.warnings.map(({ code }) => code).filter((code) => code.startsWith('metrics_'));

/** Scrapes repeatedly until the endpoint closes, and returns all texts. */
async function scrapeUntilEnd(url: string): Promise<string[]> {
  const texts: string[] = [];
  for (;;) {
    const text = await fetch(url).then(
      (response) => response.text(),
      () => undefined,
    );
    if (text !== undefined) texts.push(text);
    else if (texts.length > 0) return texts;
    await wait(20);
  }
}

describe('an endpoint that Prometheus scrapes', () => {
  test('has the published figures of the result in its last scrape, and higher counts in each scrape than in the one before', async () => {
    const port = String(await unusedPort());
    const [performed, texts] = await Promise.all([
      perform(['--metrics-port', port, '--metrics-linger', '30s']),
      scrapeUntilEnd(`http://127.0.0.1:${port}/metrics`),
    ]);
    expect(performed.isWhole).toBe(true);
    expect(codesOf(performed)).not.toContain('metrics_not_scraped');
    expect(performed.stderr).toContain(`http://127.0.0.1:${port}/metrics`);
    const last = valuesOfSamples(readSamples(texts.at(-1) ?? ''));
    expect(disagreements(last, performed.result)).toEqual([]);
    const sent = texts.map((text) => sumOf(valuesOfSamples(readSamples(text)), 'chat_load.turn.sent').value);
    expect(sent).toEqual(sent.toSorted((a, b) => a - b));
    expect(new Set(sent).size).toBeGreaterThan(2);
  });

  test('is reached from this machine alone, unless another address is given', async () => {
    const notesAt = async (host: string): Promise<string> => {
      const notes: string[] = [];
      const scrape = { host, port: 0, lingerMs: 0 };
      const { close } = await openExporters({ scrape, environment: {}, note: (text) => notes.push(text) });
      await close();
      return notes.join();
    };
    expect(await notesAt('127.0.0.1')).toMatch(/^metrics {3}http:\/\/127\.0\.0\.1:\d+\/metrics$/);
    expect(await notesAt('localhost')).not.toContain('other machines');
    expect(await notesAt('0.0.0.0')).toContain('other machines can reach it');
  });

  test('that nobody scrapes causes a warning, and the run does not wait', async () => {
    const performed = await perform(['--metrics-port', '0']);
    expect([performed.isWhole, codesOf(performed).includes('metrics_not_scraped')]).toEqual([true, true]);
  });

  test('whose port is in use is a warning, on the terminal and in the result, and the run continues', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const port = String((server.address() as AddressInfo).port);
    const performed = await perform(['--metrics-port', port]);
    expect([performed.isWhole, codesOf(performed).includes('metrics_not_exported')]).toEqual([true, true]);
    expect(performed.stderr).toContain('the port is in use');
  });

  test.each([
    [['--metrics-port', '70000'], '--metrics-port takes'],
    [['--metrics-linger', '5s'], '--metrics-linger requires --metrics-port'],
    [['--metrics-port', '0', '--metrics-linger', 'soon'], '--metrics-linger takes a duration'],
  ])('%j is a usage error', async (words, message) => {
    const { code, stderr } = await performCommand(['run', 'scenarios/smoke.ts', ...words]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

/** Opens an OTLP receiver. OpenTelemetry's own decoder reads Protobuf. */
async function receive(): Promise<{ url: string; messages: OtlpMessage[]; types: (string | undefined)[] }> {
  const messages: OtlpMessage[] = [];
  const types: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const type = request.headers['content-type'];
      types.push(`${request.url ?? ''} ${type ?? ''}`);
      messages.push(readOtlp(Buffer.concat(chunks), type === 'application/json'));
      response.end(type === 'application/json' ? '{}' : undefined);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, messages, types };
}

describe('a push by OTLP', () => {
  test.each([
    ['protobuf', {}, 'application/x-protobuf'],
    ['JSON', { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, 'application/json'],
  ])('finally has the published figures of the result, as %s, and names the run', async (_, protocol, type) => {
    const { url, messages, types } = await receive();
    const performed = await perform([], {
      ...protocol,
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_METRIC_EXPORT_INTERVAL: '100',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging',
    });
    expect([performed.isWhole, codesOf(performed)]).toEqual([true, []]);
    expect(messages.length).toBeGreaterThan(2);
    expect(new Set(types)).toEqual(new Set([`/v1/metrics ${type}`]));
    const [last] = messages.slice(-1);
    if (last === undefined) throw new Error('nothing was pushed');
    expect(disagreements(valuesOfOtlp(last), performed.result)).toEqual([]);
    expect(resourceOfOtlp(last)).toMatchObject({
      'service.name': 'chat-load',
      'service.instance.id': performed.result.run.id,
      'chat_load.scenario.name': 'exported',
      'deployment.environment.name': 'staging',
    });
  });

  test('happens again at the end of a run that is shorter than the interval', async () => {
    const { url, messages } = await receive();
    const performed = await perform([], { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_METRIC_EXPORT_INTERVAL: '600000' });
    expect(messages.map((message) => disagreements(valuesOfOtlp(message), performed.result))).toEqual([[]]);
  });

  test('is made of every run of a batch, each as a separate instance', async () => {
    const { url, messages } = await receive();
    const folder = await makeFolder();
    await writeScenario(folder, scenario);
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_METRIC_EXPORT_INTERVAL: '600000' };
    await performCommand(['run', 'scenario.mjs', '--repeat', '2', '--sessions', '5'], env, folder);
    const runs = messages.map((message) => [
      resourceOfOtlp(message)['service.instance.id'],
      sumOf(valuesOfOtlp(message), 'chat_load.session.started').value,
    ]);
    expect(runs.map(([, sessions]) => sessions)).toEqual([5, 5]);
    expect(new Set(runs.map(([id]) => id)).size).toBe(2);
  });

  test('that fails causes a warning in the result, and the run continues', async () => {
    const url = `http://127.0.0.1:${String(await unusedPort())}`;
    const performed = await perform([], { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_TIMEOUT: '300' });
    expect([performed.isWhole, codesOf(performed)]).toEqual([true, ['metrics_not_exported']]);
    expect(JSON.stringify(performed.result.warnings)).toContain(url);
  });

  test('is not made if the environment turns it off', async () => {
    const { url, types } = await receive();
    await perform([], { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_METRICS_EXPORTER: 'none' });
    expect(types).toEqual([]);
  });
});
