import picocolors from 'picocolors';
import { describe, expect, test } from 'vitest';
import { runScenario, type Result, type Scenario } from '../../src/index.ts';
import { renderResult } from '../support/render-outline.ts';
import { openVendor, type Played } from '../support/scripted-vendor.ts';

const streamOf = (...events: (object | string)[]): Played => ({
  raw: {
    source: 'https://platform.openai.com/docs/api-reference/chat-streaming',
    status: 200,
    headers: { 'Content-Type': 'text/event-stream' },
    body: events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join(''),
  },
});
const chunk = (content: unknown, reason: string | null = null, id = 'a'): object => ({
  id,
  choices: [{ index: 0, delta: { content }, finish_reason: reason }],
});
const whole = streamOf(chunk('Hello'), chunk('', 'stop'), '[DONE]');
const empty = streamOf(chunk(''), chunk('', 'stop'), '[DONE]');

/** Runs one turn per session against replies in order, the last one repeated. */
async function play(script: readonly Played[], more: Partial<Scenario> = {}): Promise<Result> {
  const { baseUrl } = await openVendor(script);
  const result = await runScenario({
    name: 'ends',
    sessions: script.length,
    load: { concurrency: 1 },
    turns: 1,
    retry: 'none',
    onFailedTurn: 'continue',
    messages: ['Hello'],
    integrity: false,
    ...more,
    target: { protocol: 'openai-chat', agentId: 'm', stream: true, baseUrl, apiKey: 'not-a-key' },
  });
  expect(result.books.broken).toEqual([]);
  return result;
}

describe('ends of replies', () => {
  test('are counted, with empty and cut ones by gates', async () => {
    const result = await play(
      [whole, streamOf(chunk('Hel', 'length'), '[DONE]'), streamOf(chunk('No', 'content_filter')), whole],
      {
        gates: { 'finish.lengthShare': '< 10%', 'finish.filteredShare': '<= 25%', 'turns.emptyShare': '< 1%' },
      },
    );
    expect(result.outcomes.turns.ok).toBe(4);
    expect(renderResult(result, { width: 100, colors: picocolors.createColors(false) })).toContain(
      'of the ok ones: 1 cut off at a limit of tokens, 1 filtered or refused',
    );
    expect(result.outcomes.finish).toEqual({ complete: 2, length: 1, filtered: 1, tool: 0, other: 0, none: 0 });
    expect(result.gates.map(({ metric, verdict }) => [metric, verdict])).toEqual([
      ['finish.lengthShare', 'fail'],
      ['finish.filteredShare', 'pass'],
      ['turns.emptyShare', 'pass'],
      ['turns.ok', 'pass'],
    ]);
  });

  test('that are errors are failures', async () => {
    const result = await play([whole, streamOf(chunk('Hel'), chunk('', 'error'), '[DONE]')]);
    expect(result.outcomes.attempts).toMatchObject({ ok: 1, provider_error: 1 });
    expect(result.examples).toMatchObject([
      { outcome: 'provider_error', detail: "the reply ended with the reason 'error'" },
    ]);
  });
});

describe('empty replies', () => {
  test('are counted, warned about, and not among turns.ok', async () => {
    const result = await play([whole, empty, empty]);
    expect(result.outcomes).toMatchObject({ empty: 2, turns: { ok: 3 } });
    expect(result.warnings.map(({ code }) => code)).toContain('replies_empty');
    expect(result.gates).toMatchObject([{ metric: 'turns.ok', actual: 1, verdict: 'pass' }]);
  });

  test('alone fail the run, and ten end it', async () => {
    const few = await play([empty, empty]);
    expect(few.gates).toMatchObject([{ metric: 'turns.ok', actual: 0, verdict: 'fail' }]);
    const many = await play(Array.from({ length: 30 }, () => empty));
    expect(many.outcomes.turns.ok).toBe(10);
    expect(many.run.stop).toMatchObject({ kind: 'target_unfit' });
    expect(JSON.stringify(many.run.stop)).toContain('neither text nor a tool call');
  });
});

test('deviations that no client notices are ok, counted, and shown by an example without secrets', async () => {
  const key = 'sk-secret-0123456789abcdef0123456789';
  const script = [
    whole,
    streamOf({ note: 'control' }, chunk('Hel'), chunk('lo', null, key), chunk('', 'stop'), '[DONE]'),
    whole,
  ];
  const { baseUrl } = await openVendor(script);
  const result = await runScenario({
    name: 'notes',
    sessions: 3,
    load: { concurrency: 1 },
    turns: 1,
    messages: ['Hello'],
    integrity: false,
    target: { protocol: 'openai-chat', agentId: 'm', stream: true, baseUrl, apiKey: key },
  });
  expect(result.outcomes.attempts.ok).toBe(3);
  expect(result.outcomes.notes).toEqual([
    expect.objectContaining({
      rule: 'several_ids',
      count: 1,
      example: expect.objectContaining({ session: 2, turn: 1 }) as object,
    }),
    expect.objectContaining({ rule: 'no_choices', count: 1 }),
  ]);
  expect(result.examples).toEqual([]);
  expect(JSON.stringify(result)).not.toContain(key);
});

test.each(['text/plain; charset=utf-8', 'application/json', 'application/octet-stream'])(
  'a stream of the content type %s is read, and noted',
  async (type) => {
    const { raw } = whole;
    const result = await play([{ raw: { ...raw, headers: { 'Content-Type': type } }, step: 1 }]);
    expect(result.outcomes.turns.ok).toBe(1);
    expect(result.latency.firstToken.count).toBe(1);
    expect(result.outcomes.notes).toMatchObject([{ rule: 'content_type', count: 1 }]);
  },
);

test('a non-streamed error of another content type keeps its text', async () => {
  const { raw } = whole;
  const result = await play([
    { raw: { ...raw, headers: { 'Content-Type': 'text/html' }, body: '<html><title>Sign in</title></html>' } },
  ]);
  expect(result.outcomes.attempts.malformed).toBe(1);
  expect(result.examples[0]?.detail).toContain('text/html');
});
