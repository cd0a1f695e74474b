import { describe, expect, test } from 'vitest';
import type { SocketDefinition } from '../../src/protocol/defined/definition.ts';
import type { FaultOptions } from '../../src/scenario/embedded-faults.ts';
import type { EmbeddedOptions, LoadOptions, Scenario } from '../../src/scenario/scenario.ts';
import { conduct } from '../support/conduct.ts';
import { openService, until } from '../support/reference-client.ts';
import { exampleProtocol } from '../support/socket-service.ts';

/** `/v1/socket`, which continues its session on every socket. */
const example = {
  ...exampleProtocol,
  connect: { ...exampleProtocol.connect, path: '/v1/socket?session={{sessionId}}' },
} satisfies SocketDefinition;

interface ResponseFrame {
  type: string;
  delta?: string;
  response?: { id?: string };
  status?: number;
  error?: { type?: string };
}
const errorClasses: Readonly<Record<string, string>> = {
  404: 'not_found',
  429: 'rate_limited',
  requests: 'rate_limited',
  insufficient_quota: 'forbidden',
};

/** `/v1/responses`, whose frames have no id of their request. */
const responses = {
  name: 'responses-socket',
  transport: 'websocket',
  connect: { path: '/v1/responses' },
  send: ({ agentId, message, sessionId }) => ({
    type: 'response.create',
    model: agentId,
    input: message,
    ...(sessionId !== '' && { previous_response_id: sessionId }),
  }),
  read: {
    text: ({ type, delta }: ResponseFrame) => (type === 'response.output_text.delta' ? delta : undefined),
    end: ({ type }: ResponseFrame) => type === 'response.completed',
    error: ({ type, status, error }: ResponseFrame) =>
      type === 'error' ? (errorClasses[String(status ?? error?.type)] ?? 'server_error') : undefined,
    sessionId: ({ type, response }: ResponseFrame) => (type === 'response.completed' ? response?.id : undefined),
    chainsIds: true,
    retryAfter: 'headers.retry-after',
  },
} satisfies SocketDefinition;

const protocols = { example, responses };

/** Classes of the client for the ends that only the service tells apart. */
const seenAs: Readonly<Record<string, string>> = {
  cut: 'connection_lost',
  reset: 'connection_lost',
  closed: 'connection_lost',
  hung: 'timed_out',
};

type Counts = Readonly<Record<string, number>>;

/** Adds counts by the client's class; zeros are omitted. */
function sum(...parts: readonly Counts[]): Record<string, number> {
  const all: Record<string, number> = {};
  for (const part of parts)
    for (const [name, count] of Object.entries(part))
      if (count > 0) all[seenAs[name] ?? name] = (all[seenAs[name] ?? name] ?? 0) + count;
  return all;
}

/** Runs sessions of four turns against the service; returns the result and the counts of the service. */
async function play(
  name: keyof typeof protocols,
  embedded: EmbeddedOptions,
  load: LoadOptions,
  more: Partial<Scenario>,
) {
  const service = await openService({ stream: { events: 6 }, ...embedded });
  const result = await conduct(
    {
      sessions: 200,
      turns: 4,
      load,
      integrity: false,
      onFailedTurn: 'continue',
      retry: { base: '1ms', maxAttempts: 2 },
      timeout: '20s',
      messages: ['Hello', 'Where is my order?', 'And now?', 'Thanks'],
      ...more,
      target: { protocol: protocols[name] },
    },
    service,
  );
  await until(() => service.stats().messages.inProgress + service.stats().creates.inProgress === 0);
  const { messages, creates, streams, sessions } = service.stats();
  expect(result.books.balanced).toBe(true);
  return { result, outcomes: result.outcomes, messages, creates, streams, sessions };
}

/** 1, 16 and 200 sockets, closed and open. */
const allLoads: [string, LoadOptions, sessions: number, slow: number][] = [
  ['1 socket', { concurrency: 1 }, 40, 4],
  ['16 sockets', { concurrency: 16 }, 120, 32],
  ['200 sockets', { concurrency: 200 }, 300, 200],
  ['open load, 1 socket', { sessionsPerSecond: 20, maxConcurrency: 1 }, 40, 4],
  ['open load, 16 sockets', { sessionsPerSecond: 200, maxConcurrency: 16, arrivals: 'poisson' }, 120, 32],
  ['open load, 200 sockets', { sessionsPerSecond: 400, maxConcurrency: 200, arrivals: 'poisson' }, 300, 200],
];

const share = 0.015;
/** Every fault of a reply, except those that only the integrity guard finds. */
const faults: FaultOptions[] = [
  ...[1000, 1001, 1011, 1012, 1013, 4429].map((code): FaultOptions => ({ kind: 'socket_close', code, share })),
  ...[1000, 1001, 1012].map((code): FaultOptions => ({ kind: 'socket_close', code, afterEvents: 0, share })),
  { kind: 'socket_half_frame', share },
  { kind: 'socket_half_frame', afterEvents: 0, share },
  { kind: 'socket_not_utf8', share },
  { kind: 'socket_pings', share },
  { kind: 'socket_foreign', share },
  { kind: 'stream_cut', share },
  { kind: 'stream_end', share },
  { kind: 'stream_error', type: 'server', share },
  { kind: 'stream_error', type: 'rate_limit', share },
  { kind: 'stream_buffered', share },
  { kind: 'stall', for: '30ms', share },
  { kind: 'rate_limited', retryAfter: '0s', share },
  { kind: 'internal_error', share },
  { kind: 'server_error', status: 502, share },
  { kind: 'provider', share },
  { kind: 'http', status: 404, share },
  { kind: 'cut', share },
  { kind: 'reset', share },
  { kind: 'close', share },
  { kind: 'malformed', share },
  { kind: 'contract', breaks: 'missing_response', share },
];
/** Faults that end a run: the key is refused. */
const fatal: FaultOptions[] = [
  ...[1008, 4401, 4403].map((code): FaultOptions => ({ kind: 'socket_close', code, share: 0.005 })),
  { kind: 'stream_error', type: 'quota', share: 0.005 },
];
const refusals: FaultOptions[] = [
  { kind: 'rate_limited', retryAfter: '0s', on: 'create', share: 0.05 },
  { kind: 'server_error', on: 'create', share: 0.05 },
  { kind: 'http', status: 404, on: 'create', share: 0.05 },
  { kind: 'reset', on: 'create', share: 0.05 },
  { kind: 'close', on: 'create', share: 0.05 },
  { kind: 'stall', for: '30ms', on: 'create', share: 0.05 },
];
/** Faults of the first frame. */
const greetings: FaultOptions[] = (['cut', 'malformed'] as const).map((kind) => ({ kind, on: 'create', share: 0.05 }));

describe.each(['example', 'responses'] as const)('classes equal the ledger of the service: %s', (name) => {
  /** Each number of sockets meets both loads, in one API or another. */
  const loads = allLoads.filter((_, index) => index % 2 === (name === 'example' ? 0 : 1));

  test.each(loads)('without faults, %s', async (_, load, sessions) => {
    const variableValues = { customerName: 'Ana {{session.number}}', orderNumber: '{{digits 6}}' };
    const played = await play(name, {}, load, { sessions, integrity: true, variableValues });
    expect(played.outcomes).toMatchObject({ reopened: 0, unsolicited: 0 });
    expect(sum(played.outcomes.attempts)).toEqual({ ok: sessions * 4 });
    expect(sum(played.messages.classes)).toEqual({ ok: sessions * 4 });
    expect(sum(played.creates.classes)).toEqual({ ok: sessions });
    expect(played.result.integrity.verdict).toBe('pass');
    expect(played.result.stream.contentEvents).toBe(played.streams.contentEvents);
  });

  test.each(loads)('under every fault of replies, %s', async (_, load, sessions) => {
    const { outcomes, messages, creates, streams } = await play(name, { faults }, load, { sessions });
    expect(sum(outcomes.attempts)).toEqual(sum(messages.classes));
    expect(sum(creates.classes)).toEqual({ ok: outcomes.createAttempts.ok + outcomes.reopened });
    expect(outcomes.reopened).toBeGreaterThan(20);
    // Every such reply contains two frames of another one.
    expect(outcomes.unsolicited).toBe(2 * streams.faults.socket_foreign);
    expect(Object.keys(sum(outcomes.attempts)).length).toBeGreaterThan(7);
  });

  test.each(loads)('under faults that end the run, %s', async (_, load, sessions) => {
    const { outcomes, messages, result } = await play(name, { faults: [...fatal, ...faults] }, load, { sessions });
    expect(sum(outcomes.attempts)).toEqual(sum(messages.classes));
    const { forbidden = 0, unauthorized = 0 } = sum(outcomes.attempts);
    expect(forbidden + unauthorized).toBeGreaterThan(0);
    expect(result.run.status).not.toBe('completed');
  });

  test.each(loads)('under faults of upgrades too, %s', async (_, load, sessions) => {
    const all = [...faults, ...refusals, ...(name === 'example' ? greetings : [])];
    const { outcomes, messages, creates } = await play(name, { faults: all }, load, { sessions });
    expect(sum(outcomes.attempts, outcomes.createAttempts, { ok: outcomes.reopened })).toEqual(
      sum(messages.classes, creates.classes),
    );
    expect(sum(outcomes.createAttempts)['rate_limited']).toBeGreaterThan(0);
  });

  /** Slower users, because a busy machine must not add time-outs. */
  const slowLoads = loads.map(([title, load, , sessions]) => [title, load, sessions] as const);

  test.each(slowLoads)('with time-outs, and frames that arrive later, %s', async (_, load, sessions) => {
    const late: FaultOptions[] = [
      // A socket that is kept answers the next attempt after this; any other is closed before.
      { kind: 'stream_stall', for: name === 'example' ? '4s' : '12s', afterEvents: 2, every: 5 },
      { kind: 'hang', every: 7 },
    ];
    const more: Partial<Scenario> = { sessions, turns: 3, timeout: '3s', thinkTime: '1s' };
    const { outcomes, messages, creates, streams } = await play(name, { faults: late }, load, more);
    const { ok, abandoned, hung } = messages.classes;
    const stalled = streams.faults.stream_stall;
    expect(stalled).toBeGreaterThan(0);
    const timed_out = stalled + hung;
    // A client that keeps its socket receives the rest of the reply.
    const received = stalled - abandoned;
    expect(sum(outcomes.attempts)).toEqual({ ok: ok - received, timed_out });
    // The remaining four content events, and the end.
    expect(outcomes.unsolicited).toBe(received * 5);
    if (name === 'responses') expect(received).toBe(0);
    // The service may have accepted a socket that the client gave up.
    const { timed_out: given = 0 } = sum(outcomes.createAttempts);
    const opened = outcomes.createAttempts.ok + outcomes.reopened;
    const accepted = sum(creates.classes)['ok'] ?? 0;
    expect(accepted).toBeGreaterThanOrEqual(opened);
    expect(accepted).toBeLessThanOrEqual(opened + given);
  });

  test.each(slowLoads)('with users who leave, %s', async (_, load, sessions) => {
    // No user leaves before a socket is open, which takes long where 200 are opened on a busy machine.
    const [gap, after] = sessions > 100 ? (['1200ms', '3s'] as const) : (['300ms', '700ms'] as const);
    const embedded: EmbeddedOptions = { stream: { events: 6, gap } };
    const more: Partial<Scenario> = { sessions, turns: 2, abandon: { share: 0.3, after }, thinkTime: '200ms' };
    const { outcomes, messages, creates, streams } = await play(name, embedded, load, more);
    expect(sum(outcomes.attempts)).toEqual(sum(messages.classes));
    expect(streams.abandonedMidway).toBe(messages.classes.abandoned);
    expect(messages.classes.abandoned).toBeGreaterThan(0);
    expect(sum(creates.classes)).toEqual({ ok: sessions + outcomes.reopened });
    // A cancelled reply leaves its socket open.
    if (name === 'example') expect(outcomes.reopened).toBe(0);
  });
});
