import { describe, expect, test } from 'vitest';
import { jsonOf, openDefined } from '../../../test/support/defined-lab.ts';
import { saying, wholeReply } from '../../../test/support/stream-events.ts';
import { definedProtocol } from './defined-protocol.ts';
import type { ApiDefinition } from './definition.ts';

const simple: ApiDefinition = {
  message: { path: '/ask', body: ({ message }) => ({ question: message }) },
  reply: { text: 'answer.text' },
};

describe('the key', () => {
  test('is a bearer token unless the definition overrides it', () => {
    expect(definedProtocol(simple).authorize('k')).toEqual({ Authorization: 'Bearer k' });
    const own = definedProtocol({ ...simple, authorize: (key) => ({ 'X-Api-Key': key }) });
    expect(own.authorize('k')).toEqual({ 'X-Api-Key': 'k' });
  });

  test('is an error of the scenario if it is not a valid header field', () => {
    const own = definedProtocol({ ...simple, authorize: (key) => ({ 'X-Key': `${key}\n` }) });
    expect(() => own.authorize('k')).toThrow(
      'The function target.protocol.authorize of the scenario failed: it has a value for the header field X-Key that is not a text of printable ASCII',
    );
  });
});

describe('a session', () => {
  const created: ApiDefinition = {
    ...simple,
    createSession: {
      method: 'PUT',
      path: '/agents/{{agentId}}/sessions',
      headers: { 'x-tenant': 'a', accept: '*/*' },
      body: ({ agentId }) => ({ agent: agentId }),
      sessionId: 'data.id',
    },
  };

  test('is not created if the definition has no creation', () => {
    expect(openDefined(simple).creation).toBeUndefined();
  });

  test('is created by the method, path, fields and body of the definition', () => {
    const { request } = openDefined(created, { agentId: 'a b' }).creation ?? {};
    expect(request).toEqual({
      route: {
        operation: 'create',
        method: 'PUT',
        path: '/agents/a%20b/sessions',
        headers: { 'Content-Type': 'application/json', 'x-tenant': 'a', accept: '*/*' },
        wantedHeaders: undefined,
      },
      body: '{"agent":"a b"}',
    });
  });

  test.each([
    ['a text', { data: { id: 's1' } }, 's1'],
    ['a number', { data: { id: 17 } }, '17'],
  ])('has an id that is %s', (_, body, id) => {
    const verdict = openDefined(created).creation?.read(wholeReply(201, body));
    expect(verdict).toMatchObject({ outcome: 'ok', reply: { id } });
  });

  test.each([
    [200, { data: { identity: 's1' } }, 'contract_broken', 'no session id at data.id: data has the key identity'],
    [200, { data: { id: '' } }, 'contract_broken', 'no session id at data.id: that is an empty text'],
    [200, '<html>', 'malformed', 'status 200 whose body is not JSON'],
    [201, '', 'malformed', 'status 201 whose body is empty'],
    [204, '', 'http_other', 'status 204'],
    [429, '', 'rate_limited', 'status 429'],
  ])('is not created by %s %o: %s', (status, body, outcome, detail) => {
    const verdict = openDefined(created).creation?.read(wholeReply(status, body));
    expect(verdict).toEqual({ outcome, detail, reply: undefined });
  });

  test('can have its id in a header field, of a response without a body', () => {
    const createSession = { path: '/start', sessionId: { header: 'X-Session' } };
    const { creation } = openDefined({ ...simple, createSession });
    expect(creation?.request.route.wantedHeaders).toEqual(['x-session']);
    expect(creation?.read(wholeReply(201, '', { headers: { 'x-session': 's1' } }))).toMatchObject({
      reply: { id: 's1' },
    });
    expect(creation?.read(wholeReply(201, ''))).toMatchObject({
      outcome: 'contract_broken',
      detail: 'no session id in the header field x-session',
    });
  });

  test('can be identified by its cookies, which later requests send back, each with its latest value', () => {
    const api = openDefined({ ...simple, cookies: true, createSession: { path: '/start' } });
    const { reply } = api.creation?.read(wholeReply(200, '', { headers: { 'set-cookie': 'sid=1; lb=a' } })) ?? {};
    const talk = api.converse(reply?.id ?? '');
    const first = talk.request(saying('a'));
    expect(first.route.wantedHeaders).toEqual(['set-cookie']);
    expect(first.route.headers['Cookie']).toBe('sid=1; lb=a');
    talk.read(wholeReply(200, { answer: { text: 'A' } }, { headers: { 'set-cookie': 'lb=b' } }));
    expect(talk.request(saying('b')).route.headers['Cookie']).toBe('sid=1; lb=b');
  });

  test('keeps its cookies even if they do not identify the session', () => {
    const api = openDefined({ ...created, cookies: true });
    api.creation?.read(wholeReply(200, { data: { id: 's1' } }, { headers: { 'set-cookie': 'lb=a' } }));
    expect(api.converse('s1').request(saying('a')).route.headers['Cookie']).toBe('lb=a');
  });

  test('receives no cookie if none was set', () => {
    const { creation } = openDefined({ ...simple, cookies: true, createSession: { path: '/start' } });
    expect(creation?.read(wholeReply(200, '{}'))).toMatchObject({
      outcome: 'contract_broken',
      detail: 'no session id: no cookie was set',
    });
  });

  test('can begin with a reply that contains its id', () => {
    const talk = openDefined({
      message: { path: '/chat', body: ({ sessionId }) => ({ conversation: sessionId }) },
      reply: { text: 'answer', sessionId: 'conversation' },
    }).converse('');
    expect(jsonOf(talk.request(saying('a')))).toEqual({ conversation: '' });
    talk.read(wholeReply(200, { answer: 'A', conversation: 'c1' }));
    expect(jsonOf(talk.request(saying('b')))).toEqual({ conversation: 'c1' });
  });
});

describe('a message', () => {
  test('is sent to its path with the values returned by its functions', () => {
    const seen: unknown[] = [];
    const api = openDefined(
      {
        message: {
          method: 'PATCH',
          path: ({ turn }) => `/turns/${String(turn)}`,
          headers: ({ sessionId }) => ({ 'X-Session': sessionId }),
          body: (parts) => {
            seen.push(parts);
            return { text: parts.message };
          },
        },
        reply: { text: 'answer' },
      },
      { instructions: 'Help {{name}}.', messageBody: { temperature: 0 } },
    );
    const request = api.converse('s1').request(saying('Hi', { variableValues: '{"name":"Ada"}', turn: 3, session: 9 }));
    expect(request).toMatchObject({
      route: { operation: 'message', method: 'PATCH', path: '/turns/3', headers: { 'X-Session': 's1' } },
      body: '{"text":"Hi","temperature":0}',
    });
    expect(seen).toEqual([
      {
        agentId: 'model-1',
        sessionId: 's1',
        turn: 3,
        message: 'Hi',
        messages: [{ role: 'user', content: 'Hi' }],
        toolResults: [],
        values: {},
        variables: { name: 'Ada' },
        instructions: 'Help Ada.',
        stream: false,
      },
    ]);
  });

  test('is sent to the path of the scenario instead', () => {
    const talk = openDefined(simple, { messagesPath: '/v2/ask' }).converse('');
    expect(talk.request(saying('Hi')).route.path).toBe('/v2/ask');
  });

  test('has ids in its path that cannot leave their segment, and unchanged in header fields', () => {
    const message = { ...simple.message, path: '/s/{{sessionId}}/ask', headers: { 'X-S': '{{ sessionId }}' } };
    const { route } = openDefined({ ...simple, message })
      .converse('a/b?c')
      .request(saying('Hi'));
    expect(route).toMatchObject({ path: '/s/a%2Fb%3Fc/ask', headers: { 'X-S': 'a/b?c' } });
  });

  test('has the route of every other that differs in nothing but the body', () => {
    const api = openDefined(simple);
    const [one, other] = [api.converse('1'), api.converse('2')];
    const routes = [one, other, one].map((talk) => talk.request(saying('Hi')).route);
    expect(new Set(routes).size).toBe(1);
    const inPath = openDefined({ ...simple, message: { ...simple.message, path: '/s/{{sessionId}}' } });
    const [a, b] = [inPath.converse('a'), inPath.converse('b')];
    const kept = [a, b, a, b].map((talk) => talk.request(saying('Hi')).route);
    expect([kept[2], kept[3]].map((route) => kept.indexOf(route as never))).toEqual([0, 1]);
  });

  test('is sent unchanged if it is a text', () => {
    const message = {
      path: '/ask',
      body: () => 'text=Hi',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    };
    const { route, body } = openDefined({ ...simple, message })
      .converse('')
      .request(saying('Hi'));
    expect([body, route.headers]).toEqual([
      'text=Hi',
      { Accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    ]);
  });

  test.each([
    ['body', () => undefined, 'returned nothing to send: put an object returned by an arrow function in parentheses'],
    ['body', () => ({ at: NaN }), 'returned a value that cannot be sent: NaN cannot be sent as JSON'],
    ['body', () => ({ later: Promise.resolve(1) }), 'returned a promise, but a run does not wait for promises'],
    [
      'body',
      () => {
        throw new Error('no such row');
      },
      'threw no such row',
    ],
    ['path', () => 'ask', 'returned a value that is not text that begins with /'],
    ['headers', () => ({ 'X-A': 'a\r\nX-B: b' }), 'has a value for the header field X-A that is not a text'],
  ])('whose %s cannot be made ends the run, with the session and the turn', (field, make, problem) => {
    const message = { ...simple.message, [field]: make };
    const talk = openDefined({ ...simple, message }).converse('');
    expect(() => talk.request(saying('Hi', { session: 4, turn: 2 }))).toThrow(
      `The function target.protocol.message.${field} of the scenario failed in session 4, turn 2: it ${problem}`,
    );
  });
});

describe('a history that the client keeps', () => {
  const talkative: ApiDefinition = {
    ...simple,
    history: 'client',
    message: { path: '/chat', body: ({ messages }) => ({ messages }) },
  };
  const answer = (text: string) => ({ text, id: undefined, data: undefined });

  test('grows with every turn that was answered', () => {
    const talk = openDefined(talkative).converse('');
    talk.request(saying('a'));
    talk.replied?.(answer('A'));
    talk.request(saying('lost'));
    expect(jsonOf(talk.request(saying('b')))).toEqual({
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'A' },
        { role: 'user', content: 'b' },
      ],
    });
  });

  test('contains the part of a reply that was read before its user left, or nothing', () => {
    const talk = openDefined(talkative).converse('');
    talk.request(saying('a'));
    talk.left?.('');
    talk.request(saying('b'));
    talk.left?.('B, but');
    expect(jsonOf(talk.request(saying('c')))).toEqual({
      messages: [
        { role: 'user', content: 'b' },
        { role: 'assistant', content: 'B, but' },
        { role: 'user', content: 'c' },
      ],
    });
  });

  test('has the called tools with their results', () => {
    const talk = openDefined(talkative).converse('');
    const toolCalls = [{ id: '1', name: 'find', arguments: '{}' }];
    talk.request(saying('a'));
    talk.replied?.({ ...answer(''), toolCalls });
    const results = saying('', { toolResults: [{ id: '1', name: 'find', content: 'found' }] });
    expect(jsonOf(talk.request(results))).toEqual({
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: '', toolCalls },
        { role: 'tool', content: 'found', toolCallId: '1', name: 'find' },
      ],
    });
    const another = openDefined(talkative).converse('');
    another.request(saying('a'));
    another.replied?.({ ...answer('A'), toolCalls });
    expect(jsonOf(another.request(saying('b')))).toEqual({
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'A' },
        { role: 'user', content: 'b' },
      ],
    });
  });

  test('is not kept if the service keeps it', () => {
    const talk = openDefined({ ...talkative, history: 'service' }).converse('');
    talk.request(saying('a'));
    talk.replied?.(answer('A'));
    expect(jsonOf(talk.request(saying('b')))).toEqual({ messages: [{ role: 'user', content: 'b' }] });
  });
});
