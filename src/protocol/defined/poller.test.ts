import { describe, expect, test } from 'vitest';
import { openDefined } from '../../../test/support/defined-lab.ts';
import { saying, wholeReply } from '../../../test/support/stream-events.ts';
import type { Conversation } from '../protocol.ts';
import type { ApiDefinition } from './definition.ts';
import { statusPath } from './poller.ts';

const definition: ApiDefinition = {
  cookies: true,
  message: { path: '/jobs', body: ({ message }) => ({ message }) },
  reply: { text: 'answer' },
  poll: { url: 'status_url', every: 250 },
};

function talking(own: Partial<ApiDefinition> = {}, baseUrl: string | null = 'http://h/api'): Conversation {
  const talk = openDefined({ ...definition, ...own }, { baseUrl }).converse('');
  talk.request(saying('Hi'));
  return talk;
}

describe('a polled answer', () => {
  test('is requested at its URL, after a delay, until it is available', () => {
    const talk = talking();
    const poll = talk.poll?.(
      wholeReply(202, { status_url: 'http://h/api/jobs/1?full=1' }, { headers: { 'set-cookie': 'a=1' } }),
    );
    expect(poll).toEqual({
      request: {
        route: {
          operation: 'message',
          method: 'GET',
          path: '/jobs/1?full=1',
          headers: { Accept: 'application/json', Cookie: 'a=1' },
          wantedHeaders: ['set-cookie'],
        },
        body: '',
      },
      afterMs: 250,
      isRepeatable: true,
    });
    expect(talk.poll?.(wholeReply(202, {}))?.request.route).toBe(poll?.request.route);
    const answer = wholeReply(200, { answer: 'A' });
    expect(talk.poll?.(answer)).toBeUndefined();
    expect(talk.read(answer)).toMatchObject({ outcome: 'ok', reply: { text: 'A' } });
  });

  test('can have its URL in a header field', () => {
    const talk = talking({ poll: { url: { header: 'Location' } } });
    const poll = talk.poll?.(wholeReply(202, '', { headers: { location: '/api/jobs/1' } }));
    expect(poll).toMatchObject({ afterMs: 500, request: { route: { path: '/jobs/1' } } });
    expect(poll?.request.route.wantedHeaders).toEqual(['set-cookie', 'location']);
  });

  test('is recognized by the content of a 200', () => {
    const talk = talking({ poll: { url: (body: { id: string }) => `/jobs/${body.id}`, done: 'finished' } });
    expect(talk.poll?.(wholeReply(200, { id: 'j1', finished: false }))?.request.route.path).toBe('/jobs/j1');
    expect(talk.poll?.(wholeReply(200, { id: 'j1', finished: true }))).toBeUndefined();
  });

  test('has another status if the definition sets it', () => {
    const talk = talking({ poll: { url: 'status_url', status: 303 } });
    expect(talk.poll?.(wholeReply(303, { status_url: '/jobs/1' }))).toBeDefined();
    expect(talk.poll?.(wholeReply(202, { status_url: '/jobs/1' }))).toBeUndefined();
  });

  test('is polled again after a limit or an error of the server, whatever errors returns', () => {
    const talk = talking({ errors: (status) => (status === 503 ? 'provider_error' : undefined) });
    const first = talk.poll?.(wholeReply(202, { status_url: '/jobs/1' }));
    for (const status of [408, 429, 500, 503])
      expect(talk.poll?.(wholeReply(status, ''))?.request.route).toBe(first?.request.route);
    expect(talk.poll?.(wholeReply(404, ''))).toBeUndefined();
  });

  test('is not polled after an error', () => {
    const talk = talking({
      errors: (_, body: { failed?: string }) => (body.failed === undefined ? undefined : 'server_error'),
    });
    const failed = wholeReply(202, { failed: 'x', status_url: '/jobs/1' });
    expect(talk.poll?.(failed)).toBeUndefined();
    expect(talk.read(failed)).toMatchObject({ outcome: 'server_error' });
    const gone = wholeReply(404, {});
    expect(talk.poll?.(gone)).toBeUndefined();
    expect(talk.read(gone)).toMatchObject({ outcome: 'not_found' });
  });

  test.each([
    [{ url: '/jobs/1' }, 'no status URL at status_url: the reply has the key url'],
    [{ status_url: 7 }, 'no status URL at status_url: that is of type number'],
    [{ status_url: 'http://other/api/jobs/1' }, 'no status URL: it is not below the base URL'],
  ])('breaks the contract without a URL of the service: %j', (body, detail) => {
    const talk = talking();
    expect(talk.poll?.(wholeReply(202, body))).toBeUndefined();
    expect(talk.read(wholeReply(202, body))).toEqual({ outcome: 'contract_broken', detail, reply: undefined });
  });

  test('does not lead a later attempt to the URL of the one before', () => {
    const talk = talking();
    talk.poll?.(wholeReply(202, { status_url: '/jobs/1' }));
    talk.read(wholeReply(500, {}));
    expect(talk.poll?.(wholeReply(202, {}))).toBeUndefined();
  });

  test('breaks the contract when the function of its URL throws', () => {
    const talk = talking({ poll: { url: (body: { a: { b: string } }) => body.a.b } });
    expect(talk.poll?.(wholeReply(202, {}))).toBeUndefined();
    expect(talk.read(wholeReply(202, {}))).toMatchObject({
      outcome: 'contract_broken',
      detail: "target.protocol.poll.url threw Cannot read properties of undefined (reading 'b')",
    });
  });
});

test('a conversation without polls is not polled', () => {
  const { message, reply } = definition;
  expect(openDefined({ message, reply }).converse('').poll).toBeUndefined();
});

test.each([
  ['http://h/api', 'http://h/api/jobs/1', '/jobs/1'],
  ['http://h/api/', '/api/jobs/1', '/jobs/1'],
  ['http://h/api', '/jobs/1', '/jobs/1'],
  ['http://h/api', 'jobs/1', '/jobs/1'],
  ['http://h/api', '//h/api/jobs/1', '/jobs/1'],
  ['http://h/api', 'http://h/jobs/1', undefined],
  ['http://h/api', 'http://h:81/api/jobs/1', undefined],
  ['http://h/api', 'https://h/api/jobs/1', undefined],
  ['http://h/api', '//other/api/jobs/1', undefined],
  ['http://h/api', 'http://', undefined],
  ['http://h', '/jobs/1?a=b', '/jobs/1?a=b'],
  [null, 'jobs/1', '/jobs/1'],
])('below %s the URL %s is %s', (base, given, path) => {
  expect(statusPath(base, given)).toBe(path);
});
