import { expect, test } from 'vitest';
import { unusedPort } from '../support/http-peer.ts';
import { endInside, startInside } from '../support/inside-run.ts';
import { openAgent } from '../support/known-agent.ts';
import { openCollector, type ReceivedSpan } from '../support/traces.ts';

const toCollector = (url: string): Record<string, string> => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_METRICS_EXPORTER: 'none',
});

test('two processes and the model service export their spans, and every parent among them exists', async () => {
  const agent = await openAgent(async ({ call }) => {
    await call();
    const { text } = await call();
    return { text };
  });
  const { url, spans } = await openCollector();
  const scenario = { sessions: 12, turns: 3, load: { concurrency: 4 }, target: { traceShare: 1 } };
  const started = await startInside(agent, scenario, ['--cores', '2'], toCollector(url));
  const { result, model } = await endInside(agent, started);
  expect(result.warnings.filter(({ code }) => code.includes('trace'))).toEqual([]);
  const named = (name: string): ReceivedSpan[] => spans.filter((span) => span.name === name);
  const calls = spans.filter(({ kind }) => kind === 2);
  expect([named('session').length, named('turn').length, spans.filter(({ kind }) => kind === 3).length]).toEqual([
    12,
    result.outcomes.turns.ok,
    result.outcomes.attempts.ok,
  ]);
  expect([calls.length, model.calls.total]).toEqual([2 * result.outcomes.turns.ok, calls.length]);
  const ids = new Map(spans.map((span) => [`${span.traceId}-${span.spanId}`, span]));
  expect(ids.size).toBe(spans.length);
  const orphans = spans.filter(({ traceId, parentId }) => parentId !== '' && !ids.has(`${traceId}-${parentId}`));
  expect(orphans).toEqual([]);
  // Both processes read one clock of the machine, and correct its wall time by whole milliseconds.
  const late = calls.filter(({ traceId, parentId, startMs, endMs }) => {
    const parent = ids.get(`${traceId}-${parentId}`);
    return parent === undefined || startMs < parent.startMs - 2 || endMs > parent.endMs + 2;
  });
  expect(late).toEqual([]);
});

test('a warning about lost spans names the process that counted them, and the model service', async () => {
  const agent = await openAgent(async ({ call }) => ({ text: (await call()).text }));
  const url = `http://127.0.0.1:${String(await unusedPort())}`;
  const scenario = { sessions: 4, turns: 1, load: { concurrency: 4 }, target: { traceShare: 1 } };
  const env = { ...toCollector(url), OTEL_EXPORTER_OTLP_TIMEOUT: '300' };
  const { result } = await endInside(agent, await startInside(agent, scenario, ['--cores', '2'], env));
  const lost = result.warnings.filter(({ code }) => code.includes('trace')).map(({ message }) => message);
  const at = `did not arrive at ${url}`;
  for (const process of ['1', '2'])
    expect(lost.filter((message) => message.startsWith(`6 of 6 spans of process ${process} of 2 ${at}`))).toHaveLength(
      1,
    );
  expect(lost.filter((message) => message.startsWith(`4 of 4 spans of model calls ${at}`))).toHaveLength(1);
});
