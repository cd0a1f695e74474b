import { describe, expect, test } from 'vitest';
import type { FaultOptions } from '../../src/scenario/embedded-faults.ts';
import type { EmbeddedOptions, LoadOptions } from '../../src/scenario/scenario.ts';
import type { Result } from '../../src/result/result.ts';
import { exitCodeOf } from '../../src/result/exit-code.ts';
import { conduct } from '../support/conduct.ts';
import { openService } from '../support/reference-client.ts';

const protocols = ['openai-chat', 'openai-responses', 'anthropic-messages'] as const;
type Protocol = (typeof protocols)[number];

const sessions = 24;
const turns = 4;
const closed: LoadOptions = { concurrency: 8 };
const open: LoadOptions = { sessionsPerSecond: 200, arrivals: 'poisson' };

/** Attempt class on the client for each class of the service. */
const seenAs: Readonly<Record<string, string>> = {
  cut: 'connection_lost',
  reset: 'connection_lost',
  closed: 'connection_lost',
};

/** Runs a scenario of four turns against this service; returns the result and the service's own counts. */
async function play(protocol: Protocol, embedded: EmbeddedOptions, load: LoadOptions, more: object = {}) {
  const { baseUrl, stats } = await openService(embedded);
  const result = await conduct(
    {
      sessions,
      turns,
      load,
      integrity: true,
      onFailedTurn: 'continue',
      retry: { base: '1ms', maxAttempts: 2 },
      messages: ['Hello', 'Where is my order?', 'And now?', 'Thanks'],
      variableValues: { customerName: 'Ana {{session.number}}', orderNumber: '{{digits 6}}' },
      target: { protocol, stream: true },
      ...more,
    },
    { baseUrl },
  );
  const { messages, streams } = stats();
  const counted: Record<string, number> = {};
  for (const [name, count] of Object.entries(messages.classes))
    if (count > 0) counted[seenAs[name] ?? name] = (counted[seenAs[name] ?? name] ?? 0) + count;
  return { result, counted, streams };
}

const attemptsOf = ({ outcomes }: Result): Record<string, number> =>
  Object.fromEntries(Object.entries(outcomes.attempts).filter(([, count]) => count > 0));

/** Moves replies that only the client can judge, by their text, to failed checks. */
function judgedByGuard(counted: Record<string, number>, spoilt: number): Record<string, number> {
  const { ok = 0, ...others } = counted;
  return { ok: ok - spoilt, ...others, check_failed: spoilt };
}

describe.each(protocols)('the counts of %s', (protocol) => {
  test.each([closed, open])('are complete without faults, %j', async (load) => {
    const { result, counted, streams } = await play(protocol, {}, load);
    expect([result.books.balanced, attemptsOf(result)]).toEqual([true, { ok: sessions * turns }]);
    expect([counted, result.integrity.verdict]).toEqual([{ ok: sessions * turns }, 'pass']);
    expect(result.stream.contentEvents).toBe(streams.contentEvents);
    const { sharedReads } = result.stream;
    const later = streams.contentEvents - streams.begun;
    expect(result.latency.firstToken.count).toBe(streams.begun);
    expect(result.latency.gap.count).toBe(later - Math.round((sharedReads ?? 0) * later));
    expect(result.stream.outputTokens).toBe(streams.contentEvents);
  });

  const faults: FaultOptions[] = [
    { kind: 'stream_cut', every: 5 },
    { kind: 'stream_cut', every: 5, afterEvents: 0 },
    { kind: 'stream_end', every: 5 },
    { kind: 'stream_error', every: 5, type: 'server' },
    { kind: 'stream_error', every: 5, type: 'rate_limit' },
    { kind: 'stream_error', every: 5, type: 'overloaded' },
    { kind: 'stream_buffered', every: 2 },
    { kind: 'cut', every: 5 },
    { kind: 'reset', every: 5 },
    { kind: 'close', every: 5 },
    { kind: 'rate_limited', every: 5 },
    { kind: 'internal_error', every: 5 },
    { kind: 'server_error', every: 5, status: 502 },
    { kind: 'http', every: 5, status: 404 },
    { kind: 'malformed', every: 5 },
    { kind: 'contract', every: 5, breaks: 'not_object' },
  ];
  // By turns: each fault meets both loads, in one protocol or another.
  const turn = protocols.indexOf(protocol);
  test.each(faults.map((fault, index) => [fault, (index + turn) % 2 === 0 ? closed : open] as const))(
    'equal the counts of the service under %j, %j',
    async (fault, load) => {
      const { result, counted } = await play(protocol, { faults: [fault] }, load);
      expect(result.books.balanced).toBe(true);
      expect(attemptsOf(result)).toEqual(counted);
    },
  );

  test.each(['stream_duplicate', 'stream_swap', 'stream_drop'] as const)(
    'have every %s as the service counts it, found by numbers or by the guard',
    async (kind) => {
      const { result, counted, streams } = await play(
        protocol,
        { faults: [{ kind, every: 5 }] },
        { concurrency: 8 },
        { onFailedTurn: 'stop' },
      );
      const spoilt = streams.faults[kind];
      expect(spoilt).toBeGreaterThan(10);
      expect(attemptsOf(result)).toEqual(protocol === 'openai-responses' ? counted : judgedByGuard(counted, spoilt));
    },
  );

  test('have no gap and no time per token for replies that are held back, which is named', async () => {
    const { result } = await play(
      protocol,
      { stream: { gap: '30ms' }, faults: [{ kind: 'stream_buffered', share: 1 }] },
      { concurrency: sessions },
      { gates: { 'gap.p95': '< 100ms', 'tokenTime.p95': '< 100ms' } },
    );
    const count = sessions * turns;
    expect(result.stream).toMatchObject({ sharedReads: 1, severalEvents: count, oneRead: count, buffered: count });
    expect(result.gates.map(({ metric, verdict }) => [metric, verdict])).toEqual([
      ['gap.p95', 'no-data'],
      ['tokenTime.p95', 'no-data'],
      ['turns.ok', 'pass'],
    ]);
    expect(result.validity.reasons.map(({ code }) => code)).toContain('stream_buffered');
    expect(exitCodeOf(result)).toBe(1);
  });

  test('have every stall that is longer than it may be', async () => {
    const { result, counted, streams } = await play(
      protocol,
      { faults: [{ kind: 'stream_stall', for: '10s', every: 5 }] },
      { concurrency: sessions },
      { stallTimeout: '4s', onFailedTurn: 'stop', retry: 'none' },
    );
    const stalled = streams.faults.stream_stall;
    expect(stalled).toBeGreaterThan(10);
    expect(attemptsOf(result)).toEqual({ ok: counted['ok'], timed_out: stalled });
  });

  test('include users who leave, and their requests as the service counted them', async () => {
    const { result, counted, streams } = await play(
      protocol,
      { stream: { firstToken: '2ms', gap: '20ms', events: 40 } },
      { concurrency: 24 },
      { abandon: { share: 0.5, after: '60ms' }, turns: 2 },
    );
    const { abandoned = 0, ok = 0 } = attemptsOf(result);
    expect(abandoned).toBeGreaterThan(5);
    expect([ok + abandoned, result.books.turns.abandoned, result.stream.abandoned]).toEqual([
      sessions * 2,
      abandoned,
      abandoned,
    ]);
    expect([counted['abandoned'], streams.abandonedMidway, result.books.balanced]).toEqual([
      abandoned,
      abandoned,
      true,
    ]);
    expect(result.latency.turn.count).toBe(ok);
    const { firstToken } = result.latency;
    expect([firstToken.ok.count, firstToken.failed.count <= abandoned]).toEqual([ok, true]);
  });
});
