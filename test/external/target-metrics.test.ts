import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, readResult } from '../support/command.ts';
import { startCountingModel } from '../support/counting-model.ts';
import { unusedPort } from '../support/http-peer.ts';
import { patient } from '../support/deadline.ts';

const program = 'prometheus-node-exporter';
const hasExporter = spawnSync(program, ['--version']).status === 0;
const isCi = /^(1|true)$/.test(process.env.CI ?? '');
if (!hasExporter)
  console.log(`The node exporter is not tested: there is no ${program} here (apt-get install ${program}).`);

const run = async (...words: string[]) => {
  const model = await startCountingModel();
  onTestFinished(() => model.close());
  const out = await makeFolder();
  const target = ['--url', model.baseUrl, '--model', 'm', '--stream', '--protocol', 'openai-chat'];
  const metrics = ['--target-metrics', model.metricsUrl];
  await performCommand(['run', ...target, ...metrics, '--out', out, '--quiet', ...words]);
  return { model, result: await readResult(out) };
};

test('a fleet scrapes once, and its requests are those that the target counted', async () => {
  const { model, result } = await run('--cores', '2', '--sessions', '20', '--concurrency', '4');
  expect(result.environment?.workers).toHaveLength(2);
  expect(result.targetMetrics?.endpoints).toHaveLength(1);
  // Three further ones look for several processes.
  expect(result.targetMetrics?.endpoints[0]).toMatchObject({ scrapes: model.scraped() - 3, failed: 0 });
  expect(result.targetMetrics?.requests).toMatchObject([{ counted: model.counted(), sent: model.counted() }]);
});

test.runIf(isCi)('the node exporter is available in continuous integration', () => expect(hasExporter).toBe(true));

describe.runIf(hasExporter)("Prometheus' node exporter", () => {
  test('is recognized, and has lines over the time of a run', async () => {
    const port = await unusedPort();
    const exporter = spawn(program, [`--web.listen-address=127.0.0.1:${String(port)}`], { stdio: 'ignore' });
    onTestFinished(async () => {
      exporter.kill();
      if (exporter.exitCode === null && exporter.signalCode === null) await once(exporter, 'exit');
    });
    const url = `http://127.0.0.1:${String(port)}/metrics`;
    const isReady = () => fetch(url).then(({ ok }) => ok, () => false); // prettier-ignore
    await vi.waitUntil(isReady, patient);
    const { result } = await run('--target-metrics', url, '--duration', '6s', '--concurrency', '2');
    const node = result.targetMetrics?.endpoints[1];
    expect(node).toMatchObject({ url, presets: ['node exporter'], failed: 0, requests: null });
    expect(node?.metrics.map(({ name, unit }) => [name, unit])).toEqual([
      ['node_cpu_seconds_total', 'share'],
      ['node_load1', 'count'],
      ['node_memory_MemAvailable_bytes', 'bytes'],
    ]);
    const [cpu, , memory] = node?.metrics ?? [];
    expect(cpu?.lines[0]?.mean).toBeGreaterThan(0);
    expect(cpu?.lines[0]?.mean).toBeLessThanOrEqual(1);
    expect(memory?.lines[0]?.max).toBeGreaterThan(1e6);
  });
});
