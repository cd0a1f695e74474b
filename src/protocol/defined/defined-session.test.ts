import { describe, expect, test } from 'vitest';
import { jsonOf, openDefined } from '../../../test/support/defined-lab.ts';
import { saying, wholeReply } from '../../../test/support/stream-events.ts';
import type { ChatApi } from '../protocol.ts';
import { unobserved } from '../socket-api.ts';
import type { ApiDefinition } from './definition.ts';

const reply = { text: 'text' };

/** Opens session 7 of a definition; `secrets` are those that must not be written. */
function begin(definition: Omit<ApiDefinition, 'reply'>): { api: ChatApi; secrets: string[] } {
  const secrets: string[] = [];
  const own = { runId: 'r1r1r1r1', uuid: () => 'u-7', keepSecret: (secret: string) => void secrets.push(secret) };
  const api = openDefined({ ...definition, reply }).forSession?.(7, unobserved, own);
  if (api === undefined) throw new Error('all sessions share one API');
  return { api, secrets };
}

const desk: Omit<ApiDefinition, 'reply'> = {
  createSession: [
    { path: '/sessions', values: { key: 'sessionKey', kind: { header: 'X-Kind' } } },
    {
      path: '/launch/{{values.kind}}',
      headers: { authorization: '{{values.key}}' },
      body: ({ session, values, replies }) => ({ session, values, first: replies[0] }),
      sessionId: 'conversation.id',
    },
  ],
  message: {
    path: '/talk/{{sessionId}}',
    headers: { Authorization: 'Bearer {{values.key}}' },
    body: ({ message, values }) => ({ message, key: values.key }),
  },
};

const created = wholeReply(201, { sessionKey: 'vk_12345678' }, { headers: { 'x-kind': 'a/b' } });

describe('a creation of several requests', () => {
  test('sends each with what the replies before it returned', () => {
    const { api, secrets } = begin(desk);
    const { creation } = api;
    expect(creation?.request.route).toMatchObject({ method: 'POST', path: '/sessions', wantedHeaders: ['x-kind'] });
    const next = creation?.poll?.(created);
    expect(next).toMatchObject({
      afterMs: 0,
      request: { route: { path: '/launch/a%2Fb', headers: { authorization: 'vk_12345678' } } },
    });
    expect(next && jsonOf(next.request)).toEqual({
      session: 7,
      values: { key: 'vk_12345678', kind: 'a/b' },
      first: { sessionKey: 'vk_12345678' },
    });
    const launched = wholeReply(200, { conversation: { id: 'c 1' } });
    expect(creation?.poll?.(launched)).toBeUndefined();
    expect(creation?.read(launched)).toMatchObject({ outcome: 'ok', reply: { id: 'c 1' } });
    const { route, body } = api.converse('c 1').request(saying('Hi'));
    expect(route).toMatchObject({ path: '/talk/c%201', headers: { Authorization: 'Bearer vk_12345678' } });
    expect(JSON.parse(body)).toEqual({ message: 'Hi', key: 'vk_12345678' });
    expect(secrets).toContain('vk_12345678');
  });

  test.each([
    [wholeReply(503, {}), 'server_error', 'status 503 (request 1 of createSession)'],
    [
      wholeReply(200, {}, { headers: { 'x-kind': 'a' } }),
      'contract_broken',
      'no value key at sessionKey: the reply has no keys (request 1 of createSession)',
    ],
  ])('ends with its first failure', (failed, outcome, detail) => {
    const { creation } = begin(desk).api;
    expect(creation?.poll?.(failed)).toBeUndefined();
    expect(creation?.read(failed)).toEqual({ outcome, detail, reply: undefined });
  });

  test('begins again with its first request', () => {
    const { creation } = begin(desk).api;
    creation?.poll?.(created);
    const failed = wholeReply(500, {});
    expect(creation?.read(failed).detail).toBe('status 500 (request 2 of createSession)');
    const again = wholeReply(201, { sessionKey: 'vk_2' }, { headers: { 'x-kind': 'b' } });
    expect(creation?.poll?.(again)?.request.route.path).toBe('/launch/b');
  });

  test('breaks the contract if a function of a later request fails', () => {
    const [first] = [desk.createSession ?? []].flat();
    const body = () => {
      throw new Error('oh');
    };
    const { creation } = begin({ ...desk, createSession: [first ?? { path: '/' }, { path: '/b', body }] }).api;
    expect(creation?.poll?.(created)).toBeUndefined();
    expect(creation?.read(created)).toMatchObject({
      outcome: 'contract_broken',
      detail: 'target.protocol.createSession.body threw oh (request 2 of createSession)',
    });
  });

  test('keeps the cookies of all its replies', () => {
    const steps = [{ path: '/a' }, { path: '/b' }];
    const { api } = begin({ cookies: true, createSession: steps, message: { path: '/m' } });
    const next = api.creation?.poll?.(wholeReply(200, {}, { headers: { 'set-cookie': 'a=1' } }));
    expect(next?.request.route.headers['Cookie']).toBe('a=1');
    api.creation?.read(wholeReply(200, {}, { headers: { 'set-cookie': 'b=2' } }));
    expect(api.converse('').request(saying('Hi')).route.headers['Cookie']).toBe('a=1; b=2');
  });
});

describe('an id that the client chooses', () => {
  const message = {
    path: '/chat/{{sessionId}}',
    headers: { 'X-Session': '{{sessionId}}' },
    body: ({ sessionId }: { sessionId: string }) => ({ sessionId }),
  };

  test.each([
    ['{{uuid}}', 'u-7'],
    ['load-{{run.id}}-{{ session.number }}', 'load-r1r1r1r1-7'],
  ])('is sent in path, headers and body: %s', (sessionId, id) => {
    const { api } = begin({ sessionId, message });
    expect(api.creation).toBeUndefined();
    const { route, body } = api.converse('').request(saying('Hi'));
    expect(route).toMatchObject({ path: `/chat/${id}`, headers: { 'X-Session': id } });
    expect(JSON.parse(body)).toEqual({ sessionId: id });
  });

  test('is sent by a creation too', () => {
    const { api } = begin({ sessionId: '{{uuid}}', createSession: { path: '/sessions/{{sessionId}}' }, message });
    expect(api.creation?.request.route.path).toBe('/sessions/u-7');
    expect(api.creation?.read(wholeReply(200, {}))).toMatchObject({ outcome: 'ok', reply: { id: 'u-7' } });
  });
});

test('an id that authorizes is not shown', () => {
  const message = { path: '/m', headers: { Authorization: '{{sessionId}}' } };
  const { api, secrets } = begin({ createSession: { path: '/s', sessionId: 'id' }, message });
  expect(api.creation?.read(wholeReply(200, { id: 'secret-id' })).reply?.id).toBeUndefined();
  expect(api.converse('').request(saying('Hi')).route.headers['Authorization']).toBe('secret-id');
  expect(secrets).toContain('secret-id');
});

test('sessions without a state of their own share one API', () => {
  const definition = { createSession: { path: '/s', sessionId: 'id' }, message: { path: '/m' }, reply };
  expect(openDefined(definition).forSession).toBeUndefined();
});
