import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { embeddedDefaults, type EmbeddedOptions } from '../../src/scenario/embedded.ts';
import { errorTexts, messagesPath, sessionsPath } from '../../src/protocol/chat-messaging/api.ts';
import { questions } from '../../src/protocol/chat-messaging/questions.ts';
import { createSession, getJson, messageOf, openService, post, say, until } from '../support/reference-client.ts';

const { agentId, chatOffAgentId, elsewhereAgentId, wrongTypeApiKey, elsewhereApiKey } = embeddedDefaults;
const values = { customerName: 'Ada', orderNumber: 'ORD-7' };
const anInstant: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const something: unknown = expect.stringMatching(/./);
const aNumber: unknown = expect.any(Number);

describe('a message', () => {
  test('is answered with the envelope and the fields of the description, cost and conversation added', async () => {
    const { baseUrl } = await openService({ costPerTurn: 0.5 });
    const sessionId = await createSession(baseUrl);
    const { status, headers, body } = await post(baseUrl, { body: messageOf(sessionId, 'Hi', values) });
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    const response = 'Turn 1: you said "Hi". I know: customerName = Ada, orderNumber = ORD-7.';
    expect(body).toEqual({
      success: true,
      data: {
        response,
        chatId: something,
        sessionId,
        isSession: true,
        createdAt: anInstant,
        updatedAt: anInstant,
        cost: 0.5,
        conversation: [{ turn: 1, message: 'Hi', response, createdAt: anInstant }],
      },
    });
    const again = await post(baseUrl, { body: messageOf(sessionId, 'Hi') });
    expect(again.body.data?.['chatId']).not.toBe(body.data?.['chatId']);
  });

  test('may contain any text', async () => {
    const { baseUrl } = await openService();
    const sessionId = await createSession(baseUrl);
    const message = 'Grüße 👋 "quoted" \\ \n\t\u2028 </script> \ud800';
    await say(baseUrl, sessionId, message);
    expect(await say(baseUrl, sessionId, questions.first)).toContain(`"${message}"`);
  });

  test('gets a reply that carries the latest turns of the conversation only', async () => {
    const { baseUrl } = await openService({ conversationTurns: 2 });
    const sessionId = await createSession(baseUrl);
    for (const message of ['a', 'b']) await say(baseUrl, sessionId, message);
    const { body } = await post(baseUrl, { body: messageOf(sessionId, 'c') });
    expect(body.data?.['conversation']).toMatchObject([
      { turn: 2, message: 'b' },
      { turn: 3, message: 'c' },
    ]);
  });
});

describe('the order of checks', () => {
  const twoAgents: EmbeddedOptions = {
    agents: [
      { id: agentId },
      { id: 'agent-other' },
      { id: chatOffAgentId, chat: false },
      { id: elsewhereAgentId, account: 'elsewhere' },
    ],
  };
  const nobody = 'session-nobody';
  const good = { agentId, sessionId: 'of the test', message: 'Hi' };

  // Each row is wrong in one respect less than the row before it.
  test.each<[string, number, string, { key?: string | undefined; type?: string; body: unknown }]>([
    ['no key', 401, 'Invalid API key', { key: undefined, body: 'no JSON' }],
    ['a wrong key', 401, 'Invalid API key', { key: 'chat-load-embedded-kez', body: 'no JSON' }],
    [
      'a key of the wrong type',
      403,
      'This type of API key cannot be used here',
      { key: wrongTypeApiKey, body: 'no JSON' },
    ],
    ['another media type', 415, 'Content-Type must be application/json', { type: 'text/plain', body: 'no JSON' }],
    ['no body', 400, 'Invalid JSON', { body: '' }],
    ['no JSON', 400, 'Invalid JSON', { body: '{"agentId":' }],
    ['JSON that is no object', 400, 'Invalid JSON', { body: '[]' }],
    ['no fields', 400, errorTexts.missingFields, { body: {} }],
    ['no agentId', 400, errorTexts.missingFields, { body: { sessionId: nobody, message: 'Hi' } }],
    ['no sessionId', 400, errorTexts.missingFields, { body: { agentId: 'nobody', message: 'Hi' } }],
    ['no message', 400, errorTexts.missingFields, { body: { agentId: 'nobody', sessionId: nobody } }],
    ['an empty agentId', 400, errorTexts.missingFields, { body: { agentId: '', sessionId: nobody, message: 'Hi' } }],
    [
      'an empty sessionId',
      400,
      errorTexts.missingFields,
      { body: { agentId: 'nobody', sessionId: '', message: 'Hi' } },
    ],
    [
      'an empty message',
      400,
      errorTexts.missingFields,
      { body: { agentId: 'nobody', sessionId: nobody, message: '' } },
    ],
    ['a message that is not a text', 400, errorTexts.missingFields, { body: { ...good, message: 5 } }],
    [
      'values that are a list',
      400,
      'variableValues must be an object',
      { body: { ...good, agentId: 'nobody', variableValues: [] } },
    ],
    [
      'values that are null',
      400,
      'variableValues must be an object',
      { body: { ...good, agentId: 'nobody', variableValues: null } },
    ],
    [
      'an unknown agent',
      404,
      errorTexts.agentNotFound,
      { body: { agentId: 'nobody', sessionId: nobody, message: 'Hi' } },
    ],
    ['an agent of another account', 404, errorTexts.agentNotFound, { body: { ...good, agentId: elsewhereAgentId } }],
    [
      'the agent of an account, with the key of another',
      404,
      errorTexts.agentNotFound,
      { key: elsewhereApiKey, body: good },
    ],
    [
      'an agent with chat off',
      400,
      errorTexts.chatDisabled,
      { body: { ...good, agentId: chatOffAgentId, sessionId: nobody } },
    ],
    ['an unknown session', 404, 'Session not found', { body: { ...good, sessionId: nobody } }],
    ['a session of another agent', 404, 'Session not found', { body: { ...good, agentId: 'agent-other' } }],
  ])('%s: %i %s', async (_, status, error, { type, body, ...key }) => {
    const { baseUrl, stats } = await openService(twoAgents);
    const sessionId = await createSession(baseUrl);
    const filled = typeof body === 'string' ? body : JSON.stringify(body).replace('of the test', sessionId);
    const reply = await post(baseUrl, { ...key, ...(type && { headers: { 'content-type': type } }), body: filled });
    expect([reply.status, reply.body]).toEqual([status, { success: false, error }]);
    expect(stats()).toMatchObject({ messages: { received: 1, inProgress: 0 }, turnsStored: 0 });
  });

  test('then nothing is wrong', async () => {
    const { baseUrl } = await openService(twoAgents);
    const sessionId = await createSession(baseUrl);
    expect((await post(baseUrl, { body: { ...good, sessionId } })).status).toBe(200);
  });

  test('a body beyond a megabyte is 413, once the key is right', async () => {
    const { baseUrl, stats } = await openService();
    const body = `{"message":"${'x'.repeat(1024 * 1024)}"}`;
    const agent = new Agent({ keepAlive: true });
    const { status, headers, body: told } = await post(baseUrl, { body, agent });
    expect([status, headers.connection, told.error]).toEqual([413, 'close', 'Request body is too large']);
    expect((await post(baseUrl, { body, key: 'wrong' })).status).toBe(401);
    expect(stats().messages.classes).toMatchObject({ http_other: 1, unauthorized: 1 });
  });

  test('a body may arrive in many chunks, and is not a message before its end', async () => {
    const { baseUrl, stats } = await openService();
    const body = JSON.stringify(messageOf(await createSession(baseUrl), 'Grüße'));
    const bytes = Buffer.from(body);
    const { port } = new URL(baseUrl);
    const head = `POST ${messagesPath} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${embeddedDefaults.apiKey}\r\nContent-Type: application/json\r\nContent-Length: ${String(bytes.length)}\r\n\r\n`;
    const open = (): Socket => connect({ port: Number(port), noDelay: true }).setEncoding('utf8');
    const left = open();
    left.resume().end(head + body.slice(0, 20));
    await once(left, 'close');
    const socket = open();
    socket.write(head);
    for (const byte of bytes) {
      socket.write(Buffer.from([byte]));
      await new Promise(setImmediate);
    }
    const [reply] = (await once(socket, 'data')) as [string];
    socket.destroy();
    expect(reply).toContain('Turn 1: you said \\"Grüße\\"');
    expect(stats().messages).toMatchObject({ received: 1, classes: { ok: 1 } });
  });

  test('other paths and methods are 404, and are counted for no operation', async () => {
    const { baseUrl, stats } = await openService();
    expect((await post(baseUrl, { path: '/api/developer/chat', body: {} })).status).toBe(404);
    expect((await fetch(baseUrl + messagesPath)).status).toBe(404);
    expect(stats()).toMatchObject({ unrouted: 2, messages: { received: 0 }, creates: { received: 0 } });
  });
});

describe('creating a session', () => {
  test('returns 201 with an id', async () => {
    const { baseUrl } = await openService();
    const { status, body } = await post(baseUrl, { path: sessionsPath, body: { agentId, more: 1 } });
    expect([status, body]).toEqual([
      201,
      {
        success: true,
        data: { sessionId: something, agentId, createdAt: anInstant },
      },
    ]);
  });

  test.each<[string, number, string, { key?: string; body: unknown }]>([
    ['a wrong key', 401, 'Invalid API key', { key: 'x', body: '' }],
    ['a key of the wrong type', 403, 'This type of API key cannot be used here', { key: wrongTypeApiKey, body: '' }],
    ['no JSON', 400, 'Invalid JSON', { body: 'x' }],
    ['no agent', 400, 'Agent ID is required', { body: {} }],
    ['an unknown agent', 404, errorTexts.agentNotFound, { body: { agentId: 'nobody' } }],
    ['an agent of another account', 404, errorTexts.agentNotFound, { body: { agentId: elsewhereAgentId } }],
    ['an agent with chat off', 400, errorTexts.chatDisabled, { body: { agentId: chatOffAgentId } }],
  ])('%s: %i %s', async (_, status, error, posted) => {
    const { baseUrl, stats } = await openService();
    const reply = await post(baseUrl, { path: sessionsPath, ...posted });
    expect([reply.status, reply.body]).toEqual([status, { success: false, error }]);
    expect(stats()).toMatchObject({ creates: { received: 1, inProgress: 0 }, sessions: { created: 0 } });
  });
});

describe('a session', () => {
  test('remembers its messages, separately from every other session', async () => {
    const { baseUrl } = await openService();
    const [one, two] = [await createSession(baseUrl), await createSession(baseUrl)];
    await say(baseUrl, one, 'My cat is Tom.');
    await say(baseUrl, two, 'My dog is Rex.');
    await say(baseUrl, one, 'It is grey.');
    expect(await say(baseUrl, one, questions.first)).toContain('First you told me: "My cat is Tom."');
    expect(await say(baseUrl, two, questions.first)).toContain('First you told me: "My dog is Rex."');
    expect(await say(baseUrl, one, questions.inTurn(2))).toContain('In turn 2 you said: "It is grey."');
  });

  test('gets the same replies to the same turns and values, however long they take', async () => {
    const play = async (options: EmbeddedOptions): Promise<string[]> => {
      const { baseUrl } = await openService(options);
      const sessionId = await createSession(baseUrl);
      const replies: string[] = [];
      for (const message of ['Hi', 'Where is it?', questions.list, questions.first])
        replies.push(await say(baseUrl, sessionId, message, values));
      return replies;
    };
    expect(await play({ latency: { median: '5ms', sigma: 1 }, seed: 9 })).toEqual(await play({}));
  });

  test('accepts values for a single message, and requests missing ones', async () => {
    const { baseUrl } = await openService();
    const sessionId = await createSession(baseUrl);
    expect(await say(baseUrl, sessionId, 'a', values)).toMatch(/I know: customerName = Ada, orderNumber = ORD-7\.$/);
    expect(await say(baseUrl, sessionId, 'b')).toMatch(/"\. Could you tell me your customerName, orderNumber\?$/);
    expect(await say(baseUrl, sessionId, 'c', { customerName: 'Bob' })).toMatch(
      /I know: customerName = Bob\. Could you tell me your orderNumber\?$/,
    );
  });

  test('is not harmed by names that mean something to JavaScript', async () => {
    const { baseUrl } = await openService();
    const sessionId = await createSession(baseUrl);
    const body = `{"agentId":"${agentId}","sessionId":"${sessionId}","message":"Hi","variableValues":{"__proto__":{"customerName":"Eve"}},"__proto__":{"x":1}}`;
    const { body: reply } = await post(baseUrl, { body });
    expect(reply.data?.response).toContain('Could you tell me your customerName, orderNumber?');
    expect(({} as Record<string, unknown>)['customerName']).toBeUndefined();
  });

  test('serves concurrent messages one after the other', async () => {
    const { baseUrl } = await openService({ latency: '10ms' });
    const sessionId = await createSession(baseUrl);
    const replies = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((message) => say(baseUrl, sessionId, message)));
    const turns = replies.map((reply) => Number(/^Turn (\d):/.exec(reply)?.[1]));
    expect(turns.sort()).toEqual([1, 2, 3, 4, 5]);
  });

  test('that is forgotten is not found any more, the longest idle first', async () => {
    const { baseUrl, stats } = await openService({ maxSessions: 2 });
    const [one, two] = [await createSession(baseUrl), await createSession(baseUrl)];
    await say(baseUrl, one, 'I am still here');
    await createSession(baseUrl);
    expect((await post(baseUrl, { body: messageOf(two, 'Hi') })).body.error).toBe('Session not found');
    expect(await say(baseUrl, one, questions.first)).toContain('I am still here');
    expect(stats().sessions).toEqual({ live: 2, created: 3, evicted: 1 });
  });
});

describe('capacity and limits', () => {
  test('queue replies beyond the capacity, in order of arrival', async () => {
    const { baseUrl, stats } = await openService({ latency: '200ms', capacity: 1 });
    const ended: string[] = [];
    const sessions = [await createSession(baseUrl), await createSession(baseUrl), await createSession(baseUrl)];
    const asked: Promise<void>[] = [];
    for (const [index, sessionId] of sessions.entries()) {
      asked.push(say(baseUrl, sessionId, 'Hi').then(() => void ended.push(sessionId)));
      await until(() => stats().messages.received === index + 1);
    }
    expect(stats()).toMatchObject({ messages: { inProgress: 3 }, queue: { busy: 1, waiting: 2 } });
    await Promise.all(asked);
    expect(ended).toEqual(sessions);
    expect(stats()).toMatchObject({ messages: { inProgress: 0 }, queue: { busy: 0, waiting: 0 } });
  });

  test('reject a key beyond its rate before anything else, with a Retry-After, and no other key', async () => {
    const { baseUrl, stats } = await openService({ rateLimit: { perSecond: 0.01, burst: 2 } });
    const sessionId = await createSession(baseUrl);
    await say(baseUrl, sessionId, 'Hi');
    const { status, headers, body } = await post(baseUrl, { body: 'no JSON' });
    expect([status, body]).toEqual([429, { success: false, error: 'Too many requests' }]);
    expect(headers['retry-after']).toMatch(/^(100|99)$/);
    expect((await post(baseUrl, { key: 'wrong', body: '' })).status).toBe(401);
    expect((await post(baseUrl, { key: elsewhereApiKey, body: '' })).status).toBe(400);
    expect(stats().messages.classes).toMatchObject({ ok: 1, rate_limited: 1, unauthorized: 1, bad_request: 1 });
  });
});

describe('the counts of the service', () => {
  test('include messages sent, class by class, and the stored conversations', async () => {
    const { baseUrl } = await openService();
    const sessionId = await createSession(baseUrl);
    const bad = [{}, { agentId: 'x', sessionId, message: 'Hi' }, messageOf('x', 'Hi'), messageOf('x', 'Hi')];
    for (const body of bad) await post(baseUrl, { body });
    for (const message of ['a', 'b', 'c']) await say(baseUrl, sessionId, message);
    await post(baseUrl, { path: sessionsPath, body: {} });
    const stats = (await getJson(`${baseUrl}/stats`)) as Record<string, never>;
    const none = { malformed: 0, contract_broken: 0, reset: 0, closed: 0, cut: 0, hung: 0, abandoned: 0 };
    const time = { minMs: aNumber, p50Ms: aNumber, p9999Ms: aNumber };
    expect(stats).toMatchObject({
      messages: {
        received: 7,
        inProgress: 0,
        stalled: 0,
        classes: { ok: 3, missing_fields: 1, agent_not_found: 1, not_found: 2, unauthorized: 0, ...none },
        serviceTime: { count: 7, ...time },
      },
      creates: { received: 2, classes: { ok: 1, bad_request: 1, ...none }, serviceTime: { count: 2, ...time } },
      sessions: { live: 1, created: 1, evicted: 0 },
      turnsStored: 3,
      connections: { open: 1, total: 10 },
      queue: { busy: 0, waiting: 0 },
      unrouted: 0,
      startedAt: anInstant,
      uptimeMs: aNumber,
      rssBytes: aNumber,
    });
    expect(await getJson(`${baseUrl}/ledger/${sessionId}`)).toMatchObject({
      sessionId,
      agentId,
      count: 3,
      forgotten: 0,
      turns: [
        {
          turn: 1,
          message: 'a',
          response: something,
          createdAt: anInstant,
        },
        { turn: 2, message: 'b' },
        { turn: 3, message: 'c' },
      ],
    });
    expect((await fetch(`${baseUrl}/ledger/nobody`)).status).toBe(404);
  });

  test('know of a client that went away before its reply, whose turn is remembered all the same', async () => {
    const { baseUrl, stats } = await openService({ latency: '1s' });
    const sessionId = await createSession(baseUrl);
    const leave = new AbortController();
    const left = post(baseUrl, { body: messageOf(sessionId, 'Hi'), signal: leave.signal });
    await until(() => stats().messages.inProgress === 1);
    leave.abort();
    await expect(left).rejects.toMatchObject({ name: 'AbortError' });
    await until(() => stats().turnsStored === 1);
    const { received, inProgress, classes, serviceTime } = stats().messages;
    expect([received, inProgress, classes.abandoned, classes.ok, serviceTime.count]).toEqual([1, 0, 1, 0, 0]);
  });

  test('know of a client that went away while an earlier message of its session was still being served', async () => {
    const { baseUrl, stats } = await openService({ latency: '1h' });
    const sessionId = await createSession(baseUrl);
    const [stay, leave] = [new AbortController(), new AbortController()];
    const first = post(baseUrl, { body: messageOf(sessionId, 'a'), signal: stay.signal });
    await until(() => stats().messages.inProgress === 1);
    const second = post(baseUrl, { body: messageOf(sessionId, 'b'), signal: leave.signal });
    await until(() => stats().messages.inProgress === 2);
    leave.abort();
    await expect(second).rejects.toMatchObject({ name: 'AbortError' });
    await until(() => stats().messages.classes.abandoned === 1);
    expect(stats()).toMatchObject({ messages: { inProgress: 1 }, queue: { busy: 1 } });
    stay.abort();
    await expect(first).rejects.toMatchObject({ name: 'AbortError' });
  });
});
