import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, readResult, writeScenario } from '../support/command.ts';
import { startCountingModel } from '../support/counting-model.ts';

async function model(options: Parameters<typeof startCountingModel>[0] = {}) {
  const started = await startCountingModel(options);
  onTestFinished(() => started.close());
  return started;
}

const run = async (scenario: string, ...words: string[]) => {
  const folder = await makeFolder();
  await writeScenario(folder, scenario);
  const ended = await performCommand(['run', 'scenario.mjs', '--out', 'out', ...words], {}, folder);
  return { ...ended, folder, result: await readResult(join(folder, 'out')) };
};

const scenario = (baseUrl: string, metrics: string, more = ''): string =>
  `{ name: 'counted', sessions: 20, messages: ['Hello.', 'Thanks.'], load: { concurrency: 4 }, ${more}
     target: { protocol: 'openai-chat', stream: true, agentId: 'm', baseUrl: '${baseUrl}', auth: 'none', metrics: ${metrics} } }`;

test('a run compares the requests that the target counted with those sent, warm-up and retries included', async () => {
  const { baseUrl, metricsUrl, counted } = await model({ failEvery: 10 });
  const requests = 'http_requests_total{path="/v1/chat/completions"}';
  const metrics = JSON.stringify([metricsUrl, { url: metricsUrl, series: ['vllm:num_requests_running'], requests }]);
  const more = "warmUp: '20ms', retry: { maxAttempts: 4, base: '1ms', classes: ['server_error', 'provider_error'] },";
  const { result, stdout } = await run(scenario(baseUrl, metrics, more), '--report', 'run.md', '--report', 'run.html');
  const { total } = result.books.attempts;
  expect(total).toBe(counted());
  expect(total).toBeGreaterThan(40);
  const failed = Math.floor(total / 10);
  expect(result.targetMetrics?.requests).toEqual([
    {
      counter: 'vllm:request_success_total',
      endpoints: 1,
      counted: total - failed,
      sent: total,
      notConnected: 0,
      notOk: failed,
    },
    { counter: requests, endpoints: 1, counted: total, sent: total, notConnected: 0, notOk: failed },
  ]);
  expect(stdout.replace(/\s+/g, ' ')).toContain(
    `the target counted ${String(total)} requests (${requests}), exactly as many as chat-load sent`,
  );
  expect(stdout).toMatch(/^vllm:request_success_total +0 +\d+ +\+\d+/m);
  expect(result.targetMetrics?.endpoints[0]?.presets).toEqual(['vLLM']);
  expect(result.warnings.filter(({ code }) => code.startsWith('target_metrics'))).toEqual([]);
});

const served = (label: string, value: number): string => `served_total{${label}} ${String(value)}\n`;

test.each([
  ['appears', (received: number) => served('path="/a"', 7000) + (received > 0 ? served('path="/b"', received) : '')],
  [
    'is not readable in between',
    (received: number, nth: number) =>
      served('path="/a"', 7000) + (nth === 2 ? 'served_total{path="/b"} -NaN\n' : served('path="/b"', 50 + received)),
  ],
])('the counted requests equal those sent if a label set %s', async (_, counters) => {
  const { baseUrl, metricsUrl, counted } = await model({
    delayMs: 150,
    metrics: (...so) => `# TYPE served counter\n${counters(...so)}`,
  });
  const metrics = JSON.stringify([{ url: metricsUrl, every: '500ms', requests: 'served_total' }]);
  const { result } = await run(scenario(baseUrl, metrics));
  expect(result.targetMetrics).toMatchObject({
    endpoints: [{ failed: 0, withheld: null }],
    requests: [{ counted: counted(), sent: 40 }],
  });
});

test('a label set that disappears invents no requests, and its counter is not compared', async () => {
  const { baseUrl, metricsUrl } = await model({
    metrics: (received) => served('path="/a"', 7000 + received) + (received > 0 ? '' : served('path="/b"', 1_000_000)),
  });
  const { result, stdout } = await run(
    scenario(baseUrl, JSON.stringify([{ url: metricsUrl, requests: 'served_total' }])),
  );
  expect(result.targetMetrics?.endpoints[0]?.metrics[0]).toMatchObject({ increase: 40, vanished: 1, isExact: false });
  expect(result.targetMetrics?.requests).toEqual([]);
  expect(stdout.replace(/\s+/g, ' ')).toContain('because a label set of it disappeared during the run');
  expect(stdout).toMatch(/^served_total +1,007,000 +7,040 +≥ \+40 .*; 1 label set disappeared$/m);
});

test.each([
  ['one', 1],
  ['the other', 0],
])('the figures of two workers behind one port are withheld, %s of them first', async (_, first) => {
  let requests = 0;
  const { baseUrl, metricsUrl } = await model({
    metrics: (received, nth) => {
      requests = received;
      return served(
        'path="/a"',
        nth % 2 === first ? 500 + Math.ceil((2 * received) / 3) : 20 + Math.floor(received / 3),
      );
    },
  });
  const words = ['--report', 'run.md', '--report', 'run.html'];
  const metrics = JSON.stringify([{ url: metricsUrl, requests: 'served_total' }]);
  const { result, stdout, folder } = await run(scenario(baseUrl, metrics), ...words);
  expect(requests).toBe(40);
  expect(result.targetMetrics).toMatchObject({ endpoints: [{ metrics: [] }], requests: [] });
  expect(result.warnings.map(({ code }) => code)).toContain('target_metrics_withheld');
  const printed = [stdout, await readFile(join(folder, 'run.md'), 'utf8')].map((text) => text.replace(/\s+/g, ' '));
  for (const text of printed) expect(text).toMatch(/are withheld, because several processes answer there/);
});

test('all reports contain the metrics, and a page has their charts', async () => {
  const { baseUrl, metricsUrl } = await model();
  const flags = ['--target-metrics', metricsUrl, '--report', 'run.md', '--report', 'run.html'];
  const { folder } = await run(scenario(baseUrl, 'undefined'), ...flags);
  const [markdown, page] = await Promise.all(
    ['run.md', 'run.html'].map((name) => readFile(join(folder, name), 'utf8')),
  );
  expect(markdown).toContain("### Target's metrics");
  expect(markdown).toContain('| vllm:request\\_success\\_total | 0 | 40 | +40 |');
  expect(page).toContain('"title":"KV cache usage"');
});

test('a metrics server that is not there is a warning, and the run passes', async () => {
  const { baseUrl } = await model();
  const { code, result, stderr } = await run(scenario(baseUrl, "['http://127.0.0.1:1/metrics']"));
  expect(code).toBe(0);
  expect(stderr).toContain(
    '1 of 1 scrapes of http://127.0.0.1:1/metrics failed, the latest: connect ECONNREFUSED 127.0.0.1:1',
  );
  expect(result.warnings.map(({ code: name }) => name)).toContain('target_metrics_failed');
  expect(result.targetMetrics).toMatchObject({ endpoints: [{ failed: 2, metrics: [] }], requests: [] });
});

test.each([
  ["['http://metrics.example:9100/metrics']", 'target.metrics may not read from metrics.example:9100'],
  ["['http://user:word@127.0.0.1/metrics']", 'cannot contain credentials'],
  ["['http://127.0.0.1/metrics?api_key=1']", 'cannot contain credentials Nothing was sent.'],
  ["['127.0.0.1/metrics']", 'expected the URL of metrics'],
  ["[{ url: 'http://127.0.0.1/metrics', series: ['sum(x)'] }]", 'expected the name of a series'],
  ["[{ url: 'http://127.0.0.1/metrics', evry: '1s' }]", "did you mean 'every'"],
  ["[{ url: 'http://127.0.0.1/metrics', every: '1ms' }]", 'must be 500ms or longer'],
])('metrics: %s is an error before anything is sent', async (metrics, message) => {
  const { baseUrl, counted } = await model();
  const folder = await makeFolder();
  await writeScenario(folder, scenario(baseUrl, metrics));
  const { code, stderr } = await performCommand(['run', 'scenario.mjs', '--out', 'out'], {}, folder);
  expect([code, counted()]).toEqual([2, 0]);
  expect(stderr.replace(/\s+/g, ' ')).toContain(message);
});
