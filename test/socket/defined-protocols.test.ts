import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Result } from '../../src/result/result.ts';
import { calibratedHere } from '../support/calibrated-here.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, readResult, root } from '../support/command.ts';
import {
  openModelServer,
  openRunService,
  openStreamingBot,
  openTicketDesk,
  openWebhookBot,
  type CountingService,
} from '../support/defined-services.ts';

const key = 'a-key-of-these-tests';

/** The examples of docs/reference/protocols.md, as they are. */
const page = await readFile(join(root, 'docs/reference/protocols.md'), 'utf8');
const examples = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, text = '']) => text);
const exampleOf = (name: string): string => examples.find((text) => text.includes(`name: '${name}'`)) ?? '';

/** Runs an example against a service, and returns its result. */
async function play(name: string, { baseUrl }: CountingService, words: readonly string[] = []): Promise<Result> {
  const folder = await makeFolder();
  const file = join(folder, `${name}.ts`);
  await writeFile(file, exampleOf(name));
  const flags = ['--base-url', baseUrl, '--sessions', '8', '--out', folder, ...words];
  const { code, stderr } = await performCommand(['run', file, ...flags], { CHAT_LOAD_API_KEY: key });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return readResult(folder);
}

/** Selects the counts of a run. */
const booked = ({ books, outcomes }: Result) => ({
  balanced: books.balanced,
  created: books.sessions.created,
  ok: books.turns.ok,
  attempts: Object.fromEntries(Object.entries(outcomes.attempts).filter(([, count]) => count !== 0)),
});

/** Returns the number of streamed replies, and of content events that are not the first of a reply. */
const laterEvents = ({ stream }: Result): number[] => [stream.replies, stream.contentEvents - stream.replies];

describe('the examples of docs/reference/protocols.md', () => {
  test('define their protocols in at most 30 lines each', () => {
    const lengths = examples.map((text) => /defineProtocol\(\{\n(.*?)^\}\)/ms.exec(text)?.[1]?.split('\n').length);
    expect(lengths).toHaveLength(5);
    for (const length of lengths) expect(length).toBeLessThanOrEqual(30);
  });

  test.each(['webhook', 'local-model', 'ag-ui-bot', 'ticket-desk', 'assistant'])(
    '%s needs no variable set',
    async (name) => {
      const file = join(await makeFolder(), `${name}.ts`);
      await writeFile(file, exampleOf(name));
      const { code, stderr } = await performCommand(['plan', file]);
      expect({ code, stderr }).toMatchObject({ code: 0 });
    },
  );

  test('a webhook bot: sessions in cookies', async () => {
    const service = await openWebhookBot(key);
    const result = await play('webhook', service);
    const { sessions, ok, server_error } = service.counted;
    expect(service.counted).toMatchObject({ sessions: 8, ok: 24, server_error: 3 });
    expect(booked(result)).toEqual({ balanced: true, created: sessions, ok, attempts: { ok, server_error } });
    expect(result.scenario.plan.target.protocol).toBe('webhook-bot');
  });

  test('a model server, whole: the history of its client', async () => {
    const service = await openModelServer((nth) => (nth % 10 === 0 ? 'error' : undefined));
    const result = await play('local-model', service);
    const { ok, error, tokens } = service.counted;
    expect(service.counted).toMatchObject({ ok: 24, error: 2 });
    expect(booked(result)).toEqual({ balanced: true, created: 8, ok, attempts: { ok, server_error: error } });
    expect(tokens).toBe(72);
  });

  test('a model server, in JSON lines: truncated replies, error events, and the time of each chunk', async () => {
    const service = await openModelServer((nth) => (nth === 5 ? 'cut' : nth % 9 === 0 ? 'error event' : undefined));
    const result = await play('local-model', service, ['--stream']);
    const { messages = 0, ok = 0, cut = 0, 'error event': failed = 0 } = service.counted;
    expect(service.counted).toMatchObject({ cut: 1 });
    expect(booked(result)).toMatchObject({
      balanced: true,
      created: 8,
      ok,
      attempts: { ok, truncated: cut, server_error: failed },
    });
    expect(laterEvents(result)).toEqual([messages, 2 * ok + failed + cut]);
  });

  test('a bot that only streams: server-sent events, with neither reply, agent nor key', async () => {
    const service = await openStreamingBot();
    const result = await play('ag-ui-bot', service);
    expect(service.counted).toEqual({ messages: 24, turns: 48, threads: 8 });
    expect(booked(result)).toEqual({ balanced: true, created: 8, ok: 24, attempts: { ok: 24 } });
    expect(result.target).toMatchObject({ agentId: '', protocol: 'ag-ui', stream: true });
    expect(laterEvents(result)).toEqual([24, 48]);
  });

  test('a bot without an agent: no output names one', async () => {
    const { baseUrl } = await openStreamingBot();
    const folder = await makeFolder();
    const file = join(folder, 'bot.ts');
    await writeFile(file, exampleOf('ag-ui-bot'));
    const outputs: string[] = [];
    const calibrated = await calibratedHere();
    const perform = async (...words: string[]): Promise<void> => {
      const { code, stdout, stderr } = await performCommand(words, calibrated);
      expect({ code, stderr }).toMatchObject({ code: 0 });
      outputs.push(stdout);
    };
    const at = ['--base-url', baseUrl, '--sessions', '4'];
    await perform('plan', file, ...at);
    await perform('try', file, '--base-url', baseUrl);
    await perform('run', file, ...at, '--out', folder, '--report', join(folder, 'run.html'));
    await perform('calibrate', file, '--base-url', baseUrl, '--step-duration', '200ms', '--max-connections', '1');
    outputs.push(await readFile(join(folder, 'run.html'), 'utf8'));
    for (const text of outputs) expect(text).not.toMatch(/\bagent(?: or model)? *(?:[,"\n(]|$)|127\.0\.0\.1:\d+, *\n/);
  });

  test('a desk that answers later: polls, and the id of the session in paths', async () => {
    const service = await openTicketDesk(key);
    const result = await play('ticket-desk', { ...service, baseUrl: `${service.baseUrl}/v2` });
    const { sessions, ok, provider_error, messages = 0, polls } = service.counted;
    expect(service.counted).toMatchObject({ sessions: 8, ok: 24 });
    expect(booked(result)).toEqual({ balanced: true, created: sessions, ok, attempts: { ok, provider_error } });
    expect(polls).toBe(3 * messages);
    expect(result.latency.attempt.minMs).toBeGreaterThan(3 * 20);
  });

  test('an assistant whose runs are polled: failed polls are repeated, and the answer is requested last', async () => {
    const service = await openRunService(key);
    const result = await play('assistant', { ...service, baseUrl: `${service.baseUrl}/v1` });
    const { sessions, messages, polls, ok, provider_error, requests } = service.counted;
    expect(service.counted).toMatchObject({ sessions: 8, ok: 24 });
    expect(booked(result)).toEqual({ balanced: true, created: sessions, ok, attempts: { ok, provider_error } });
    expect(polls).toBe(3 * (messages ?? 0));
    expect(result.transport?.exchanges.http1).toBe(requests);
    expect(result.latency.attempt.minMs).toBeGreaterThan(3 * 20);
    const { attempt, firstByte } = result.latency;
    expect((attempt.meanMs ?? 0) - (firstByte.meanMs ?? 0)).toBeGreaterThan(3 * 20);
  });
});
