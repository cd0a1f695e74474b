import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { makeFolder, readResult, runCommand, writeScenario } from '../support/command.ts';
import { unusedPort } from '../support/http-peer.ts';
import { openTracedAgent } from '../support/traces.ts';
import { patient } from '../support/deadline.ts';

/** The program, which no package registry of Node.js or Python has. */
const jaeger = process.env['JAEGER'] ?? 'jaeger';
const hasJaeger = spawnSync(jaeger, ['version']).status === 0;
if (!hasJaeger) {
  process.stdout.write(`Jaeger is not tested: ${jaeger} cannot be run. See test/stacks/README.md.\n`);
  if (process.env['CI'] === 'true') throw new Error(`${jaeger} cannot be run`);
}

interface JaegerTrace {
  data: { spans: { spanID: string; operationName: string; warnings: string[] | null }[] }[];
}

/** Starts Jaeger with free ports; resolves with the address of its receiver, and a reader of traces. */
async function startJaeger() {
  const folder = await makeFolder();
  const [otlp, query, grpc, health] = await Promise.all([unusedPort(), unusedPort(), unusedPort(), unusedPort()]);
  const config = join(folder, 'jaeger.yaml');
  await writeFile(
    config,
    `service:
  extensions: [jaeger_storage, jaeger_query, healthcheckv2]
  pipelines: { traces: { receivers: [otlp], exporters: [jaeger_storage_exporter] } }
  telemetry: { metrics: { level: none }, logs: { level: error } }
extensions:
  healthcheckv2: { use_v2: true, http: { endpoint: '127.0.0.1:${String(health)}' } }
  jaeger_storage: { backends: { some: { memory: { max_traces: 10000 } } } }
  jaeger_query:
    storage: { traces: some }
    http: { endpoint: '127.0.0.1:${String(query)}' }
    grpc: { endpoint: '127.0.0.1:${String(grpc)}' }
receivers: { otlp: { protocols: { http: { endpoint: '127.0.0.1:${String(otlp)}' } } } }
exporters: { jaeger_storage_exporter: { trace_storage: some } }
`,
  );
  const child = spawn(jaeger, ['--config', config], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const ask = (path: string): Promise<Response | undefined> =>
    fetch(`http://127.0.0.1:${String(query)}${path}`).catch(() => undefined);
  await vi.waitUntil(async () => (await ask('/api/services'))?.ok === true, patient);
  const traceOf = async (id: string) =>
    ((await (await ask(`/api/traces/${id}`))?.json()) as JaegerTrace | undefined)?.data[0];
  return { url: `http://127.0.0.1:${String(otlp)}`, traceOf };
}

describe.runIf(hasJaeger)('Jaeger', () => {
  test.each(['http/protobuf', 'http/json'])('has the parent of every span of the agent, by %s', async (protocol) => {
    const { url, traceOf } = await startJaeger();
    const agent = await openTracedAgent((request) => request % 9 === 0);
    const folder = await makeFolder();
    await writeScenario(
      folder,
      `{ name: 'traced', sessions: 20, turns: 3, load: { concurrency: 5 }, integrity: false, messages: ['Hello'],
        target: { baseUrl: '${agent.url}', protocol: 'openai-chat', agentId: 'model-a', auth: 'none', trace: true, traceShare: 1 },
        retry: { maxAttempts: 3, base: '1ms' } }`,
    );
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    };
    await runCommand(['run', 'scenario.mjs', '--out', 'out'], { cwd: folder, env });
    const result = await readResult(join(folder, 'out'));
    expect(result.warnings.filter(({ code }) => code.includes('trace'))).toEqual([]);
    expect(agent.spans.length).toBeGreaterThan(60);
    const found = await Promise.all(
      agent.spans.map(async ({ traceId, parentId }) =>
        (await traceOf(traceId))?.spans.find(({ spanID }) => spanID === parentId),
      ),
    );
    expect(found.filter((span) => span?.operationName !== 'chat model-a' || span.warnings !== null)).toEqual([]);
  });
});
