import { describe, expect, test } from 'vitest';
import { embeddedDefaults } from '../../src/scenario/embedded.ts';
import type { FaultOptions } from '../../src/scenario/embedded-faults.ts';
import { errorTexts, sessionsPath } from '../../src/protocol/chat-messaging/api.ts';
import {
  createSession,
  messageOf,
  openService,
  post,
  postBare,
  say,
  until,
  type ReplyBody,
} from '../support/reference-client.ts';

const { agentId } = embeddedDefaults;

/** Sends one message to a service with only this fault; returns how it ended on the wire and the service's counts. */
async function strike(fault: FaultOptions) {
  const { baseUrl, stats } = await openService({ faults: [fault] });
  const sessionId = await createSession(baseUrl);
  const { received, end } = await postBare(baseUrl, messageOf(sessionId, 'Hi'));
  const [head = '', body = ''] = received.split('\r\n\r\n');
  const { messages, turnsStored } = stats();
  const counted = Object.entries(messages.classes).filter(([, count]) => count > 0);
  expect([messages.received, messages.inProgress, messages.serviceTime.count]).toEqual([1, 0, 0]);
  return { sessionId, head, body, end, counted, turnsStored };
}

/** Returns the response under a fault that answers. */
async function answerUnder(fault: FaultOptions, path?: string) {
  const { baseUrl, stats } = await openService({ faults: [fault] });
  const sessionId = path === undefined ? await createSession(baseUrl) : '';
  const reply = await post(
    baseUrl,
    path === undefined ? { body: messageOf(sessionId, 'Hi') } : { path, body: { agentId } },
  );
  const { messages, creates, turnsStored } = stats();
  const { classes } = path === undefined ? messages : creates;
  return { sessionId, reply, counted: Object.entries(classes).filter(([, count]) => count > 0), turnsStored };
}

describe('a fault that answers', () => {
  test.each<[FaultOptions, number, string, string | undefined, string]>([
    [{ kind: 'rate_limited' }, 429, 'Too many requests', undefined, 'rate_limited'],
    [{ kind: 'rate_limited', retryAfter: '2s' }, 429, 'Too many requests', '2', 'rate_limited'],
    [{ kind: 'rate_limited', retryAfter: 'soon' }, 429, 'Too many requests', 'soon', 'rate_limited'],
    [{ kind: 'rate_limited', retryAfter: '-1' }, 429, 'Too many requests', '-1', 'rate_limited'],
    [{ kind: 'internal_error' }, 500, errorTexts.internal, undefined, 'internal_error'],
    [{ kind: 'server_error' }, 503, 'Service unavailable', undefined, 'server_error'],
    [{ kind: 'server_error', status: 500 }, 500, 'Service unavailable', undefined, 'server_error'],
    [{ kind: 'server_error', status: 529, retryAfter: '1s' }, 529, 'Service unavailable', '1', 'server_error'],
    [{ kind: 'provider' }, 503, errorTexts.provider, undefined, 'provider_error'],
    [{ kind: 'provider', status: 429, retryAfter: '3s' }, 429, errorTexts.provider, '3', 'provider_rate_limited'],
    [{ kind: 'provider', status: 401 }, 401, errorTexts.provider, undefined, 'provider_rejected'],
    [{ kind: 'http', status: 404 }, 404, 'Status 404', undefined, 'not_found'],
    [{ kind: 'http', status: 400 }, 400, 'Status 400', undefined, 'bad_request'],
    [{ kind: 'http', status: 302 }, 302, 'Status 302', undefined, 'http_other'],
    [{ kind: 'http', status: 418, retryAfter: '9s' }, 418, 'Status 418', '9', 'http_other'],
  ])('%j: %i %s', async (fault, status, error, retryAfter, outcome) => {
    const { reply, counted, turnsStored } = await answerUnder(fault);
    expect([reply.status, reply.body, reply.headers['retry-after']]).toEqual([
      status,
      { success: false, error },
      retryAfter,
    ]);
    expect([counted, turnsStored]).toEqual([[[outcome, 1]], 0]);
  });

  test('can send any body, and is counted by the class that a client assigns', async () => {
    const html = await answerUnder({ kind: 'http', status: 502, body: '<html>' });
    expect([html.reply.status, html.reply.text, html.counted]).toEqual([502, '<html>', [['server_error', 1]]]);
    const body = JSON.stringify({ error: errorTexts.agentNotFound });
    const found = await answerUnder({ kind: 'http', status: 404, body });
    expect([found.reply.text, found.counted]).toEqual([body, [['agent_not_found', 1]]]);
    const mixed = await answerUnder({
      kind: 'http',
      status: 404,
      body: JSON.stringify({ error: errorTexts.internal }),
    });
    expect(mixed.counted).toEqual([['not_found', 1]]);
    const empty = await answerUnder({ kind: 'http', status: 204, body: '' });
    expect([empty.reply.status, empty.reply.text, empty.counted]).toEqual([204, '', [['http_other', 1]]]);
  });

  test('can send Retry-After as a date ahead', async () => {
    const { reply } = await answerUnder({ kind: 'rate_limited', retryAfter: { dateIn: '100s' } });
    const ahead = Date.parse(String(reply.headers['retry-after'])) - Date.parse(String(reply.headers.date));
    expect(Math.abs(ahead - 100_000)).toBeLessThanOrEqual(1000);
  });

  test('redirects to somewhere', async () => {
    const { reply } = await answerUnder({ kind: 'http', status: 307 });
    expect(reply.headers.location).toBe('/elsewhere');
  });
});

describe('a fault of the connection', () => {
  test('reset: no response, then RST', async () => {
    expect(await strike({ kind: 'reset' })).toMatchObject({
      head: '',
      end: 'ECONNRESET',
      counted: [['reset', 1]],
      turnsStored: 0,
    });
  });

  test('close: no response, then FIN', async () => {
    expect(await strike({ kind: 'close' })).toMatchObject({
      head: '',
      end: 'closed',
      counted: [['closed', 1]],
      turnsStored: 0,
    });
  });

  test('cut: the work is done, and half of the declared body arrives', async () => {
    const { head, body, end, counted, turnsStored } = await strike({ kind: 'cut' });
    const declared = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    expect([head.split('\r\n')[0], body.length, end]).toEqual(['HTTP/1.1 200 OK', declared >> 1, 'closed']);
    expect([counted, turnsStored]).toEqual([[['cut', 1]], 1]);
  });

  test('hang: no answer until the client goes away', async () => {
    const { baseUrl, stats } = await openService({ faults: [{ kind: 'hang' }] });
    const sessionId = await createSession(baseUrl);
    const leave = new AbortController();
    const left = post(baseUrl, { body: messageOf(sessionId, 'Hi'), signal: leave.signal });
    await until(() => stats().messages.inProgress === 1);
    expect(stats().messages.classes.hung).toBe(0);
    leave.abort();
    await expect(left).rejects.toMatchObject({ name: 'AbortError' });
    await until(() => stats().messages.inProgress === 0);
    expect(stats()).toMatchObject({ messages: { received: 1, classes: { hung: 1, abandoned: 0 } }, turnsStored: 0 });
  });
});

describe('a fault of the reply', () => {
  test('malformed: 200, whole, and no JSON', async () => {
    const { reply, counted, turnsStored } = await answerUnder({ kind: 'malformed' });
    expect(reply.status).toBe(200);
    expect(() => JSON.parse(reply.text) as unknown).toThrow(SyntaxError);
    expect([counted, turnsStored]).toEqual([[['malformed', 1]], 1]);
  });

  test.each<[Extract<FaultOptions, { kind: 'contract' }>['breaks'], (body: ReplyBody, sessionId: string) => unknown]>([
    ['other_session', ({ data }, sessionId) => typeof data?.sessionId === 'string' && data.sessionId !== sessionId],
    ['missing_response', ({ data }) => data !== undefined && !('response' in data) && 'chatId' in data],
    ['not_session', ({ data }) => data?.['isSession'] === false],
    ['not_success', ({ success, data }) => success === false && typeof data?.response === 'string'],
    ['not_object', (body) => Array.isArray(body)],
  ])('contract, %s', async (breaks, isBroken) => {
    const { sessionId, reply, counted, turnsStored } = await answerUnder({ kind: 'contract', breaks });
    expect([reply.status, isBroken(reply.body, sessionId)]).toEqual([200, true]);
    expect([counted, turnsStored]).toEqual([[['contract_broken', 1]], 1]);
  });

  test('stall: the reply arrives, but not before its time', async () => {
    const { baseUrl, stats } = await openService({ faults: [{ kind: 'stall', for: '40ms' }] });
    expect(await say(baseUrl, await createSession(baseUrl), 'Hi')).toContain('Turn 1');
    const { stalled, classes, serviceTime } = stats().messages;
    expect([stalled, classes.ok, (serviceTime.minMs ?? 0) >= 40]).toEqual([1, 1, true]);
  });

  test('a client that goes away in a stall has abandoned the exchange', async () => {
    const { baseUrl, stats } = await openService({ faults: [{ kind: 'stall', for: '1h' }] });
    const leave = new AbortController();
    const body = messageOf(await createSession(baseUrl), 'Hi');
    const left = post(baseUrl, { body, signal: leave.signal });
    await until(() => stats().messages.stalled === 1);
    leave.abort();
    await expect(left).rejects.toMatchObject({ name: 'AbortError' });
    await until(() => stats().messages.inProgress === 0);
    expect(stats()).toMatchObject({ messages: { classes: { abandoned: 1, ok: 0 } }, turnsStored: 1 });
  });

  test('a frozen service sends every reply, errors included, at the end of the window', async () => {
    const faults: FaultOptions[] = [{ kind: 'stall', until: 'windowEnd', window: { from: 0, to: '500ms' } }];
    const { baseUrl, stats } = await openService({ faults });
    const sessions = [await createSession(baseUrl), await createSession(baseUrl)];
    const ended: number[] = [];
    const bodies = [...sessions.map((id) => messageOf(id, 'a')), messageOf('x', 'c'), {}];
    await Promise.all(bodies.map((body) => post(baseUrl, { body }).then(() => ended.push(stats().uptimeMs))));
    expect(ended.map((at) => at >= 500)).toEqual([true, true, true, true]);
    expect(stats().messages).toMatchObject({ stalled: 4, classes: { ok: 2, not_found: 1, missing_fields: 1 } });
  });
});

describe('faults', () => {
  test('strike only messages that would have succeeded', async () => {
    const { baseUrl, stats } = await openService({ faults: [{ kind: 'internal_error', first: 1 }] });
    await post(baseUrl, { body: {} });
    expect(stats().messages.classes).toMatchObject({ missing_fields: 1, internal_error: 0 });
    const sessionId = await createSession(baseUrl);
    expect((await post(baseUrl, { body: messageOf(sessionId, 'Hi') })).status).toBe(500);
    expect((await post(baseUrl, { body: messageOf(sessionId, 'Hi') })).status).toBe(200);
  });

  test('by share are counted exactly as the client observed them', async () => {
    const faults: FaultOptions[] = [
      { kind: 'rate_limited', share: 0.3 },
      { kind: 'provider', status: 502, share: 0.3 },
    ];
    const { baseUrl, stats } = await openService({ faults });
    const sessionId = await createSession(baseUrl);
    const seen = { ok: 0, rate_limited: 0, provider_error: 0 };
    const names: Record<number, keyof typeof seen> = { 200: 'ok', 429: 'rate_limited', 502: 'provider_error' };
    for (let index = 0; index < 100; index++) {
      const { status } = await post(baseUrl, { body: messageOf(sessionId, 'Hi') });
      seen[names[status] ?? 'ok']++;
    }
    expect(stats().messages.classes).toMatchObject(seen);
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
    expect(stats().turnsStored).toBe(seen.ok);
  });

  test.each<[FaultOptions, number, string]>([
    [{ kind: 'rate_limited', on: 'create' }, 429, 'rate_limited'],
    [{ kind: 'provider', on: 'create' }, 503, 'provider_error'],
    [{ kind: 'malformed', on: 'create' }, 201, 'malformed'],
    [{ kind: 'contract', breaks: 'other_session', on: 'create' }, 201, 'contract_broken'],
    [{ kind: 'stall', for: '5ms', on: 'create' }, 201, 'ok'],
  ])('can be put on creations: %j', async (fault, status, outcome) => {
    const { reply, counted } = await answerUnder(fault, sessionsPath);
    expect([reply.status, counted]).toEqual([status, [[outcome, 1]]]);
    expect(typeof reply.body.data?.sessionId).toBe(outcome === 'ok' ? 'string' : 'undefined');
  });
});
