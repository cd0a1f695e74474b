import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Result } from '../../src/result/result.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, readResult, writeScenario } from '../support/command.ts';
import { unusedPort } from '../support/http-peer.ts';
import { openCollector, openTracedAgent, type ReceivedSpan } from '../support/traces.ts';

const key = 'sk-secret-0123456789';
const message = 'Where is order ORD-77?';

interface Traced {
  share: number;
  sessions?: number;
  turns?: number;
  more?: string;
  retry?: string;
}

/** Runs a traced scenario against an agent, with these variables. */
async function perform(
  url: string,
  { share, sessions = 20, turns = 3, more = '', retry = "{ maxAttempts: 3, base: '1ms' }" }: Traced,
  env: Record<string, string>,
) {
  const folder = await makeFolder();
  await writeScenario(
    folder,
    `{ name: 'traced', seed: 5, sessions: ${String(sessions)}, turns: ${String(turns)}, load: { concurrency: 5 },
      target: { baseUrl: '${url}', protocol: 'openai-chat', agentId: 'model-a', apiKey: '${key}', trace: true, traceShare: ${String(share)}, ${more} },
      retry: ${retry}, messages: ['${message}'], integrity: false }`,
  );
  const { stderr, stdout } = await performCommand(['run', 'scenario.mjs', '--out', 'out'], env, folder);
  return { stderr, stdout, result: await readResult(join(folder, 'out')) };
}

const toCollector = (url: string): Record<string, string> => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_METRICS_EXPORTER: 'none',
});
const isAttempt = ({ kind }: ReceivedSpan): boolean => kind === 3;
const placeOf = ({ traceId, spanId }: ReceivedSpan): string => `${traceId}-${spanId}`;
const codesOf = ({ warnings }: Result): string[] =>
  warnings.map(({ code }) => code).filter((code) => /trace/.test(code));

describe('a run whose sessions are all exported', () => {
  test('has the parent of every span of the agent, around it in time, and the counts of the result', async () => {
    const agent = await openTracedAgent((request) => request % 9 === 0);
    const { url, spans } = await openCollector();
    const { result, stderr } = await perform(agent.url, { share: 1 }, toCollector(url));
    expect(codesOf(result)).toEqual([]);
    expect(stderr).toContain(`traces    100 % of the sessions, failures and slow turns, exported to ${url}`);

    const attempts = new Map(spans.filter(isAttempt).map((span) => [placeOf(span), span]));
    const around = agent.spans.map((own) => ({ own, parent: attempts.get(`${own.traceId}-${own.parentId}`) }));
    expect(around.filter(({ parent }) => parent === undefined)).toEqual([]);
    expect(new Set(agent.spans.map(({ flags }) => flags))).toEqual(new Set(['01']));
    expect(attempts.size).toBe(agent.spans.length);
    expect(new Set(spans.map(placeOf)).size).toBe(spans.length);
    // The origin of the wall clock is corrected by whole milliseconds.
    const isOutside = ({ own, parent }: (typeof around)[number]): boolean =>
      parent === undefined || own.startMs < parent.startMs - 1 || own.endMs > parent.endMs + 1;
    expect(around.filter(isOutside)).toEqual([]);

    const { turns, attempts: classes } = result.outcomes;
    const countOf = (name: string): number => spans.filter((span) => span.name === name).length;
    expect([countOf('turn'), countOf('session')]).toEqual([turns.ok, 20]);
    const failed = spans.filter((span) => isAttempt(span) && span.status === 2);
    expect([failed.length, classes.rate_limited > 3]).toEqual([classes.rate_limited, true]);
    expect(failed.map(({ attributes }) => attributes['error.type'])).toEqual(failed.map(() => 'rate_limited'));
  });

  test('uses the names of the conventions, links retries to their turn and turns to their session', async () => {
    const agent = await openTracedAgent((request) => request === 1);
    const { url, spans } = await openCollector();
    await perform(agent.url, { share: 1, sessions: 1, turns: 1 }, toCollector(url));
    const [first, second] = spans.filter(isAttempt);
    const [turn] = spans.filter(({ name }) => name === 'turn');
    const [session] = spans.filter(({ name }) => name === 'session');
    if (!first || !second || !turn || !session) throw new Error('a span is missing');
    const { port } = new URL(agent.url);
    expect(second).toMatchObject({
      name: 'chat model-a',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai-chat',
        'gen_ai.request.model': 'model-a',
        'gen_ai.usage.input_tokens': 12,
        'gen_ai.usage.output_tokens': 4,
        'server.address': '127.0.0.1',
        'server.port': Number(port),
        'http.response.status_code': 200,
        'chat_load.attempt.number': 2,
      },
    });
    expect(first.attributes).toMatchObject({ 'http.response.status_code': 429, 'error.type': 'rate_limited' });
    expect([first.traceId, first.parentId]).toEqual([turn.traceId, turn.spanId]);
    expect([second.parentId, second.links]).toEqual(['', [placeOf(turn)]]);
    expect(turn.links).toEqual([placeOf(session)]);
    const conversations = [first, second, turn, session].map(({ attributes }) => attributes['gen_ai.conversation.id']);
    expect(new Set(conversations).size).toBe(1);
  });

  test('exports neither the key nor the text of a message or of a reply', async () => {
    const agent = await openTracedAgent((request) => request % 4 === 0);
    const { url, bodies } = await openCollector();
    await perform(agent.url, { share: 1, sessions: 4 }, toCollector(url));
    const whole = Buffer.concat(bodies).toString('latin1');
    expect(whole).toContain('chat model-a');
    for (const hidden of [key, message, 'ORD-77', 'On its way', 'slow down']) expect(whole).not.toContain(hidden);
  });
});

describe('a run of which a share is exported', () => {
  test('marks exactly the sampled sessions, and adds failures and the slowest turns', async () => {
    const agent = await openTracedAgent((request) => request % 40 === 0);
    const { url, spans } = await openCollector();
    const { result } = await perform(
      agent.url,
      { share: 0.2, sessions: 60, turns: 4, retry: "'none'" },
      toCollector(url),
    );
    const attempts = new Map(spans.filter(isAttempt).map((span) => [placeOf(span), span]));
    const sent = agent.spans.map((own) => ({ flags: own.flags, span: attempts.get(`${own.traceId}-${own.parentId}`) }));
    const sampled = sent.filter(({ flags }) => flags === '01');
    expect(sampled.filter(({ span }) => span?.flags !== 1)).toEqual([]);
    const later = sent.filter(({ flags, span }) => flags === '00' && span !== undefined);
    expect(later.filter(({ span }) => span?.flags !== 0)).toEqual([]);
    expect([sampled.length > 0, later.length > 0, attempts.size < sent.length]).toEqual([true, true, true]);
    // A whole session is sampled or not.
    const sessions = new Set(sampled.map(({ span }) => span?.attributes['chat_load.session.number']));
    expect(later.filter(({ span }) => sessions.has(span?.attributes['chat_load.session.number']))).toEqual([]);
    const ids = new Set([...attempts.values()].map(({ traceId }) => traceId));
    expect(result.examples.length).toBeGreaterThan(0);
    expect(result.examples.filter(({ traceId }) => !ids.has(traceId ?? ''))).toEqual([]);
  });

  test('samples the same sessions again with the same seed', async () => {
    const numbers = async (): Promise<unknown[]> => {
      const agent = await openTracedAgent();
      const { url, spans } = await openCollector();
      await perform(agent.url, { share: 0.3, turns: 1 }, toCollector(url));
      const sampled = spans.filter(({ name, flags }) => name === 'session' && flags === 1);
      return sampled.map(({ attributes }) => attributes['chat_load.session.number']).sort();
    };
    const first = await numbers();
    expect(first.length).toBeGreaterThan(0);
    expect(await numbers()).toEqual(first);
  });
});

describe('an export that is not possible', () => {
  test('to a collector that does not run is a warning with the number of spans, and the run is whole', async () => {
    const agent = await openTracedAgent();
    const url = `http://127.0.0.1:${String(await unusedPort())}`;
    const { result } = await perform(
      agent.url,
      { share: 1, sessions: 4, turns: 1 },
      {
        ...toCollector(url),
        OTEL_EXPORTER_OTLP_TIMEOUT: '300',
      },
    );
    expect([result.run.status, result.outcomes.turns.ok]).toEqual(['completed', 4]);
    expect(codesOf(result)).toEqual(['traces_not_exported']);
    expect(JSON.stringify(result.warnings)).toContain(`12 of 12 spans did not arrive at ${url}`);
  });

  test('with a protocol that is not supported is a warning, and every trace is marked as sampled', async () => {
    const agent = await openTracedAgent();
    const { url, spans } = await openCollector();
    const env = { ...toCollector(url), OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc' };
    const { result, stderr } = await perform(agent.url, { share: 0, sessions: 2 }, env);
    expect([codesOf(result), spans.length]).toEqual([['traces_not_exported'], 0]);
    expect(stderr).toContain('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL is grpc');
    expect(new Set(agent.spans.map(({ flags }) => flags))).toEqual(new Set(['01']));
  });

  test.each([{ OTEL_TRACES_EXPORTER: 'none' }, { OTEL_EXPORTER_OTLP_ENDPOINT: '' }])(
    'because of %j is none, without a warning',
    async (off) => {
      const agent = await openTracedAgent();
      const { url, spans } = await openCollector();
      const { result } = await perform(agent.url, { share: 0.1, sessions: 2 }, { ...toCollector(url), ...off });
      expect([codesOf(result), spans.length]).toEqual([[], 0]);
      expect(new Set(agent.spans.map(({ flags }) => flags))).toEqual(new Set(['01']));
    },
  );
});

describe('the address of traces', () => {
  const more = "traceUrl: 'https://jaeger.example/trace/{traceId}?x=1'";

  test('is in the terminal, with the trace of an example', async () => {
    const agent = await openTracedAgent((request) => request === 1);
    const { stdout, result } = await perform(agent.url, { share: 1, sessions: 1, more }, {});
    const id = result.examples[0]?.traceId ?? 'none';
    expect(stdout).toContain(`https://jaeger.example/trace/${id}?x=1`);
  });

  test.each([
    'javascript:alert(1)//{traceId}',
    'http://jaeger.example/trace',
    'https://a:b@jaeger.example/{traceId}',
    'file:///{traceId}',
  ])('cannot be %s', async (traceUrl) => {
    const words = ['run', 'scenarios/smoke.ts', '--trace-url', traceUrl];
    const { code, stderr } = await performCommand(words);
    expect(code).toBe(2);
    expect(stderr).toContain('--trace-url');
  });
});
