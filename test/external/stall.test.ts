import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { conduct } from '../support/conduct.ts';

const latencyMs = 10;
const stalledFromMs = 1800;
const stalledForMs = 1200;
const perSecond = 140;
const lengthMs = 6000;
const places = 4;

let stop: () => void = () => undefined;
/** Times at which messages were answered, in order of their arrival, in milliseconds from the first arrival. */
const answeredAt: number[] = [];
afterEach(() => stop());

/** A service with a constant latency that does not answer from 1.8 s to 3 s after its first message. */
function openStallingService(): Promise<string> {
  let firstAt: number | undefined;
  const reply = (response: ServerResponse, status: number, body: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      if (request.url?.endsWith('/sessions')) return reply(response, 201, { data: { sessionId: 's' } });
      firstAt ??= performance.now();
      const at = performance.now() - firstAt;
      const end = at + latencyMs;
      const isStalled = end >= stalledFromMs && at < stalledFromMs + stalledForMs;
      const wait = isStalled ? stalledFromMs + stalledForMs + latencyMs - at : latencyMs;
      const { sessionId } = JSON.parse(text) as { sessionId: string };
      const data = { response: 'Hi', chatId: randomUUID(), sessionId, isSession: true, createdAt: 'x', updatedAt: 'x' };
      const place = answeredAt.push(NaN) - 1;
      setTimeout(() => {
        answeredAt[place] = performance.now() - (firstAt ?? NaN);
        reply(response, 200, { success: true, data });
      }, wait);
    });
  });
  stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`));
  });
}

const dueOf = (n: number): number => (n * 1000) / perSecond;

/** Computes the waits of an idle machine from the schedule and the service's distribution: four at a time, first come, first served. */
function shortestWaits(): number[] {
  const freeAt = new Array<number>(places).fill(0);
  return Array.from({ length: (lengthMs / 1000) * perSecond }, (_, n) => {
    const due = dueOf(n);
    const place = freeAt.indexOf(Math.min(...freeAt));
    const begins = Math.max(due, freeAt[place] ?? 0);
    const stallEnd = stalledFromMs + stalledForMs;
    const isStalled = begins + latencyMs >= stalledFromMs && begins < stallEnd;
    freeAt[place] = isStalled ? stallEnd + latencyMs : begins + latencyMs;
    return (freeAt[place] ?? 0) - due;
  });
}

const percentile = (values: readonly number[], percent: number): number =>
  [...values].sort((a, b) => a - b)[Math.ceil((percent / 100) * values.length) - 1] ?? 0;

describe('against a service that is silent for 1.2 s of a 6 s open run', () => {
  test('effective latency shows how long every user waited, and attempt latency shows the silence separately', async () => {
    const baseUrl = await openStallingService();
    const result = await conduct(
      {
        messages: ['Hi'],
        duration: `${String(lengthMs)}ms` as '6000ms',
        sessions: (lengthMs / 1000) * perSecond,
        load: { sessionsPerSecond: perSecond, maxTurnsInFlight: places },
      },
      { baseUrl },
    );
    const shortest = shortestWaits();
    const expected = answeredAt.map((at, n) => at - dueOf(n));
    const { effective, attempt, lateness } = result.latency;
    expect([effective.count, expected.length]).toEqual([shortest.length, shortest.length]);
    // A busy machine adds to a queue that is nearly full: the service says by how much.
    const slackMs = 250;
    const near = (actual: number | null, valueOf: (waits: readonly number[]) => number): void => {
      expect(Math.abs((actual ?? Infinity) - valueOf(expected))).toBeLessThan(slackMs);
      expect(actual).toBeGreaterThan(valueOf(shortest) - slackMs);
    };
    near(effective.p90Ms, (waits) => percentile(waits, 90));
    near(effective.p95Ms, (waits) => percentile(waits, 95));
    near(effective.p99Ms, (waits) => percentile(waits, 99));
    near(effective.maxMs, (waits) => Math.max(...waits));
    near(effective.meanMs, (waits) => waits.reduce((a, b) => a + b) / waits.length);
    expect(effective.p95Ms).toBeGreaterThan(stalledForMs * 0.7);
    // Only the four turns in flight were affected by the silence: `attempt` shows a healthy service except for these.
    expect(attempt.p99Ms).toBeLessThan(stalledForMs / 4);
    expect(attempt.maxMs).toBeGreaterThan(stalledForMs - 20);
    expect(lateness.p95Ms).toBeGreaterThan(stalledForMs * 0.65);
    expect(result.validity.reasons.map(({ code }) => code)).toContain('turns_late');
  });
});
