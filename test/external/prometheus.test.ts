import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, afterAll, describe, expect, test, vi } from 'vitest';
import type { Result } from '../../src/result/result.ts';
import { makeFolder, readResult, root, runCommand, writeScenario } from '../support/command.ts';
import { expressionsOf, type Dashboard } from '../support/dashboard.ts';
import { disagreements } from '../support/expected-metrics.ts';
import { unusedPort } from '../support/http-peer.ts';
import { valuesOfSamples, type Sample } from '../support/read-exports.ts';
import { patient } from '../support/deadline.ts';

const hasPrometheus = spawnSync('prometheus', ['--version']).status === 0;
const isCi = /^(1|true)$/.test(process.env.CI ?? '');
if (!hasPrometheus)
  console.log('Prometheus itself is not tested: there is no prometheus here (apt-get install prometheus).');

/** Everything, with a warm-up, and long enough for two scrapes on a busy machine. */
const scenario = `{
  name: 'scraped', seed: 3, duration: '8s', turns: { min: 1, max: 4 }, load: { concurrency: 8 }, warmUp: '300ms',
  embedded: { latency: { median: '8ms', sigma: 0.3 }, faults: [
    { kind: 'rate_limited', share: 0.1, retryAfter: '0s' }, { kind: 'http', status: 404, share: 0.05 },
  ] },
  retry: { one: { maxAttempts: 3, base: '2ms' }, two: 'none' }, messages: ['Hello'],
}`;

interface Answer {
  status: string;
  data: { result: { metric: Record<string, string>; value: [number, string] }[] };
}

type Ask = (kind: 'query' | 'query_range', words: Record<string, string>) => Promise<Answer>;

test.runIf(isCi)('prometheus is available in continuous integration', () => expect(hasPrometheus).toBe(true));

describe.runIf(hasPrometheus)('Prometheus itself', () => {
  let ask: Ask;
  let result: Result;
  let stop: () => Promise<void> = () => Promise.resolve();

  beforeAll(async () => {
    const folder = await makeFolder();
    const [port, own] = [String(await unusedPort()), String(await unusedPort())];
    const base = `http://127.0.0.1:${own}`;
    ask = async (kind, words) => {
      const response = await fetch(`${base}/api/v1/${kind}?${new URLSearchParams(words).toString()}`);
      return response.json() as Promise<Answer>;
    };
    stop = await startPrometheus({ folder, own, port });
    // It begins some seconds after it is ready.
    const hasBegun = async () => (await ask('query', { query: 'up' })).data.result.length > 0;
    await vi.waitUntil(hasBegun, patient);
    await writeScenario(folder, scenario);
    const words = ['--metrics-port', port, '--metrics-linger', '30s', '--out', 'out'];
    await runCommand(['run', 'scenario.mjs', ...words], { cwd: folder });
    result = await readResult(join(folder, 'out'));
  });
  afterAll(() => stop());

  test('has scraped the published figures of the result', async () => {
    const { data } = await ask('query', { query: 'last_over_time({job="chat-load"}[5m])' });
    const samples = data.result.map(({ metric: { __name__: name = '', ...labels }, value }): Sample => ({
      name,
      labels,
      value: Number(value[1]),
    }));
    expect(result.warnings.filter(({ code }) => code.startsWith('metrics_'))).toEqual([]);
    expect(disagreements(valuesOfSamples(samples), result)).toEqual([]);
    expect(result.outcomes.turns.ok).toBeGreaterThan(100);
  });

  test('answers every query of the Grafana dashboard', async () => {
    const dashboard = JSON.parse(await readFile(join(root, 'docs/grafana/chat-load.json'), 'utf8')) as Dashboard;
    const answers = await Promise.all(
      expressionsOf(dashboard).map(async (expression) => {
        const query = expression
          .replaceAll('$__rate_interval', '1m')
          .replaceAll('$warm_up', 'true|false')
          .replaceAll(/\$(job|instance)\b/g, '.*');
        const [start, end] = [result.run.startedAt, new Date().toISOString()];
        const { status, data } = await ask('query_range', { query, start, end, step: '500ms' });
        return { expression, status, isEmpty: data.result.length === 0 };
      }),
    );
    expect(answers.filter(({ status, isEmpty }) => status !== 'success' || isEmpty)).toEqual([]);
    expect(answers.length).toBeGreaterThan(10);
  });
});

/** Starts one that scrapes `port` once a second; the returned function stops it. */
async function startPrometheus({ folder, own, port }: { folder: string; own: string; port: string }) {
  const config = join(folder, 'prometheus.yml');
  await mkdir(join(folder, 'data'));
  await writeFile(
    config,
    `scrape_configs:
  - job_name: chat-load
    scrape_interval: 1s
    scrape_timeout: 1s
    static_configs: [{ targets: ['127.0.0.1:${port}'] }]
`,
  );
  const words = [`--config.file=${config}`, `--storage.tsdb.path=${join(folder, 'data')}`];
  const child = spawn('prometheus', [...words, `--web.listen-address=127.0.0.1:${own}`], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const isReady = () =>
    fetch(`http://127.0.0.1:${own}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  await vi.waitUntil(isReady, patient);
  return async () => {
    child.kill('SIGTERM');
    await ended;
  };
}
