import { describe, expect, test } from 'vitest';
import type { FaultOptions } from '../../src/scenario/embedded-faults.ts';
import { getJson, openService, post, until } from '../support/reference-client.ts';
import {
  piecesIn,
  postStream,
  streamBodies,
  streamPaths,
  type SentEvent,
  type StreamPath,
} from '../support/stream-client.ts';

/** Requests one streamed reply from a service with only this fault; returns the bytes received and the service's counts. */
async function strike(path: StreamPath, fault: FaultOptions) {
  const { baseUrl, stats } = await openService({ faults: [fault], stream: { events: 6 } });
  const sent = await postStream(baseUrl, path, streamBodies[path]('Repeat this tag: T7'));
  await until(() => stats().messages.inProgress === 0);
  const { messages, streams } = stats();
  const counted = Object.entries(messages.classes).filter(([, count]) => count > 0);
  const kinds = Object.entries(streams.faults).filter(([, count]) => count > 0);
  expect(counted).toHaveLength(1);
  return {
    ...sent,
    pieces: piecesIn(sent.events),
    counted: counted[0]?.[0],
    kinds,
    streams,
    stalled: messages.stalled,
  };
}

const honest = ['Tag:', ' T7', ' Could', ' you', ' tell', ' me your customerName, orderNumber?'];
/** Returns the type of the last event, which marks a complete reply. */
const lastType = (events: readonly SentEvent[]): unknown => {
  const last = events.at(-1);
  return last?.data.text ?? last?.data['type'];
};
const ends = {
  '/v1/chat/completions': '[DONE]',
  '/v1/responses': 'response.completed',
  '/v1/messages': 'message_stop',
};

describe.each(streamPaths)('%s', (path) => {
  test('stream_cut: this many pieces, then the connection breaks', async () => {
    const { pieces, isWhole, counted, kinds } = await strike(path, { kind: 'stream_cut', afterEvents: 2 });
    expect([pieces, isWhole]).toEqual([honest.slice(0, 2), false]);
    expect([counted, kinds]).toEqual(['cut', [['stream_cut', 1]]]);
  });

  test('cut: half of the pieces, then the connection closes', async () => {
    const { pieces, error, isWhole, counted } = await strike(path, { kind: 'cut' });
    expect([pieces, error, isWhole, counted]).toEqual([honest.slice(0, 3), undefined, false, 'cut']);
  });

  test('stream_end: this many pieces, then the end of the response alone', async () => {
    const { pieces, events, isWhole, counted, streams } = await strike(path, { kind: 'stream_end', afterEvents: 4 });
    expect([pieces, isWhole, counted]).toEqual([honest.slice(0, 4), true, 'truncated']);
    expect(lastType(events)).not.toBe(ends[path]);
    expect([streams.begun, streams.completed]).toEqual([1, 0]);
  });

  test.each([
    ['server', 'server_error'],
    ['overloaded', 'server_error'],
    ['rate_limit', 'rate_limited'],
    ['quota', 'forbidden'],
  ] as const)('stream_error %s: an event reports it, and it is counted as %s', async (type, expected) => {
    const { pieces, events, counted } = await strike(path, { kind: 'stream_error', type, afterEvents: 1 });
    expect([pieces, counted]).toEqual([honest.slice(0, 1), expected]);
    const said = events.find(({ data }) => 'error' in data)?.data['error'];
    expect(said).toMatchObject({ type: errorTypes[path === '/v1/messages' ? 'anthropic' : 'openai'][type] });
  });

  test('stream_stall: the whole reply all the same', async () => {
    const { pieces, events, counted, stalled, streams } = await strike(path, { kind: 'stream_stall', for: '30ms' });
    expect([pieces, lastType(events), counted, stalled]).toEqual([honest, ends[path], 'ok', 1]);
    expect(streams.gap.maxMs).toBeGreaterThanOrEqual(30);
  });

  test.each<[FaultOptions['kind'], string[]]>([
    ['stream_duplicate', ['Tag:', ' T7', ' T7', ...honest.slice(2)]],
    ['stream_drop', ['Tag:', ...honest.slice(2)]],
    ['stream_swap', ['Tag:', ' Could', ' T7', ...honest.slice(3)]],
  ])('%s: the pieces are spoilt, and their numbers show it', async (kind, expected) => {
    const { pieces, events, counted, kinds } = await strike(path, { kind, afterEvents: 1 } as FaultOptions);
    expect([pieces, lastType(events), kinds]).toEqual([expected, ends[path], [[kind, 1]]]);
    const isNumbered = path === '/v1/responses';
    expect(counted).toBe(isNumbered ? 'contract_broken' : 'ok');
    const numbers = events.map(({ data }) => data['sequence_number']);
    if (isNumbered) expect(numbers).not.toEqual(numbers.map((_, index) => index));
  });

  test('stream_buffered: all of it in one write', async () => {
    const { pieces, events, counted, streams } = await strike(path, { kind: 'stream_buffered' });
    expect([pieces, lastType(events), counted]).toEqual([honest, ends[path], 'ok']);
    expect(streams.gap.maxMs).toBeLessThanOrEqual(0.001);
  });

  test.each<[FaultOptions, string, string | undefined]>([
    [{ kind: 'reset' }, 'reset', 'ECONNRESET'],
    [{ kind: 'close' }, 'closed', undefined],
  ])('%j: nothing arrives', async (fault, expected, code) => {
    const { head, counted, error } = await strike(path, fault);
    expect([head, counted, error]).toEqual(['', expected, code]);
  });

  test('malformed and contract: a body in place of a stream', async () => {
    for (const [fault, expected] of [
      [{ kind: 'malformed' }, 'malformed'],
      [{ kind: 'contract', breaks: 'missing_response' }, 'contract_broken'],
    ] as const) {
      const { baseUrl, stats } = await openService({ faults: [fault] });
      const { status, headers, text } = await post(baseUrl, { path, body: streamBodies[path]('Hi') });
      expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
      expect(text).not.toContain('you said \\"Hi\\".",');
      expect(stats().messages.classes[expected]).toBe(1);
    }
  });

  test('a fault of streams leaves whole replies alone, and does not count them', async () => {
    const { baseUrl, stats } = await openService({ faults: [{ kind: 'stream_end', first: 1 }] });
    const body = streamBodies[path]('Hi');
    expect((await post(baseUrl, { path, body: { ...body, stream: false } })).status).toBe(200);
    await postStream(baseUrl, path, body);
    await postStream(baseUrl, path, body);
    expect(stats().messages.classes).toMatchObject({ ok: 2, truncated: 1 });
  });
});

const errorTypes = {
  openai: { server: 'server_error', overloaded: 'server_error', rate_limit: 'requests', quota: 'insufficient_quota' },
  anthropic: {
    server: 'api_error',
    overloaded: 'overloaded_error',
    rate_limit: 'rate_limit_error',
    quota: 'billing_error',
  },
} as const;

test('stream_no_done: chat completions end without their last line, and no other API is struck', async () => {
  const fault = { kind: 'stream_no_done' } as const;
  const { events, counted, kinds } = await strike('/v1/chat/completions', fault);
  expect(events.at(-1)?.data).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
  expect([counted, kinds]).toEqual(['ok', [['stream_no_done', 1]]]);
  expect((await strike('/v1/messages', fault)).kinds).toEqual([]);
});

test('/stats shows the faults applied to streams', async () => {
  const { baseUrl } = await openService({ faults: [{ kind: 'stream_drop' }] });
  await postStream(baseUrl, '/v1/messages', streamBodies['/v1/messages']('Hi'));
  expect(await getJson(`${baseUrl}/stats`)).toMatchObject({
    streams: { faults: { stream_drop: 1 } },
    byApi: { 'anthropic-messages': { messages: { received: 1, classes: { ok: 1 } } } },
  });
});
