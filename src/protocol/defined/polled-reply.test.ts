import { describe, expect, test } from 'vitest';
import { openDefined } from '../../../test/support/defined-lab.ts';
import { saying, wholeReply } from '../../../test/support/stream-events.ts';
import type { Conversation, OwnSession, ProtocolTarget } from '../protocol.ts';
import { unobserved } from '../socket-api.ts';
import type { ApiDefinition, LaterPolls, PollRequest, ReplyDefinition } from './definition.ts';

interface Run {
  id: string;
  status: string;
  answer?: string;
}

/** Polls a run of a thread, and its messages once it is complete. */
const polls: LaterPolls = {
  request: (replies: readonly Partial<Run>[], { sessionId }) =>
    replies.at(-1)?.status === 'complete'
      ? { path: ['threads', sessionId, 'messages'], query: { run: replies[0]?.id, after: undefined } }
      : { path: ['threads', sessionId, 'runs', replies[0]?.id ?? ''] },
  done: (replies: readonly Partial<Run>[]) => replies.at(-1)?.answer !== undefined,
  text: (replies: readonly Partial<Run>[]) => replies.at(-1)?.answer,
  fail: (replies: readonly Partial<Run>[]) => (replies.at(-1)?.status === 'failed' ? 'provider_error' : undefined),
};

interface Changes {
  polls?: Partial<LaterPolls>;
  reply?: Partial<ReplyDefinition>;
  api?: Partial<ApiDefinition>;
  baseUrl?: string;
  own?: Partial<OwnSession>;
  target?: Partial<ProtocolTarget>;
}

function talking({
  polls: some,
  reply,
  api,
  baseUrl = 'http://h/v1',
  own = {},
  target = {},
}: Changes = {}): Conversation {
  const open = openDefined(
    {
      message: {
        path: '/threads/{{sessionId}}/runs',
        body: ({ message }) => ({ message }),
        headers: { 'X-Team': 'a' },
      },
      reply: { then: { poll: { ...polls, ...some } }, ...reply },
      ...api,
    },
    { baseUrl, ...target },
  );
  const session: OwnSession = { runId: 'r', uuid: () => 'u', keepSecret: () => undefined, ...own };
  const talk = (open.forSession?.(1, unobserved, session) ?? open).converse('t 1');
  talk.request(saying('Hi'));
  return talk;
}

const acknowledged = wholeReply(200, { id: 'r/1', status: 'queued' });
const complete = wholeReply(200, { id: 'r/1', status: 'complete' });
const pathAfter = (talk: Conversation, received = acknowledged): string | undefined =>
  talk.poll?.(received)?.request.route.path;

describe('a reply after an acknowledgement', () => {
  test('fails by a sign that only errors have, unless the author decides which bodies are errors', () => {
    const refused = wholeReply(200, { answer: 'Sorry', success: false });
    const outcomeOf = (changes: Changes): string => {
      const talk = talking(changes);
      talk.poll?.(acknowledged);
      talk.poll?.(refused);
      return talk.read(refused).outcome;
    };
    const { request, done, text } = polls;
    const open = { reply: { then: { poll: { request, done, text } } } };
    expect(outcomeOf(open)).toBe('provider_error');
    expect([outcomeOf({}), outcomeOf({ ...open, api: { errors: () => undefined } })]).toEqual(['ok', 'ok']);
  });

  test.each([
    ['the acknowledgement', [{ id: 'r/1', error: { message: 'boom', type: 'server_error' } }]],
    [
      'a poll',
      [
        { id: 'r/1', status: 'queued' },
        { answer: 'Sorry', error: { message: 'boom', type: 'server_error' } },
      ],
    ],
  ])('is a failure with an error in %s', (_, bodies) => {
    const talk = talking();
    const last = bodies.map((body) => wholeReply(200, body));
    expect(last.map((received) => talk.poll?.(received)).at(-1)).toBeUndefined();
    const verdict = talk.read(last.at(-1) ?? acknowledged);
    expect([verdict.outcome, verdict.detail]).toEqual(['server_error', expect.stringContaining('boom')]);
  });

  test('is polled until it is complete, with a last request for its text', () => {
    const talk = talking();
    expect(talk.poll?.(acknowledged)).toEqual({
      request: {
        route: {
          operation: 'message',
          method: 'GET',
          path: '/threads/t%201/runs/r%2F1',
          headers: { Accept: 'application/json', 'X-Team': 'a' },
          wantedHeaders: ['*'],
        },
        body: '',
      },
      afterMs: 500,
      isRepeatable: true,
    });
    expect(pathAfter(talk, wholeReply(200, { status: 'running' }))).toBe('/threads/t%201/runs/r%2F1');
    expect(pathAfter(talk, complete)).toBe('/threads/t%201/messages?run=r%2F1');
    const answer = wholeReply(200, { answer: 'A' });
    expect(talk.poll?.(answer)).toBeUndefined();
    expect(talk.read(answer)).toMatchObject({ outcome: 'ok', reply: { text: 'A', data: { answer: 'A' } } });
  });

  test('may be complete at once', () => {
    const talk = talking();
    const answer = wholeReply(201, { answer: 'A' });
    expect(talk.poll?.(answer)).toBeUndefined();
    expect(talk.read(answer)).toMatchObject({ outcome: 'ok', reply: { text: 'A' } });
  });

  test('may be acknowledged by a header field, without a body', () => {
    const talk = talking({
      polls: { request: (_, { responses }) => ({ path: responses[0]?.headers['location'] ?? '' }) },
    });
    expect(pathAfter(talk, wholeReply(202, '', { headers: { location: '/v1/jobs/1' } }))).toBe('/jobs/1');
  });

  test('has the class that fail returns, and the error of the service', () => {
    const talk = talking();
    talk.poll?.(acknowledged);
    const failed = wholeReply(200, { status: 'failed', error: 'no model' });
    expect(talk.poll?.(failed)).toBeUndefined();
    expect(talk.read(failed)).toEqual({ outcome: 'provider_error', detail: 'no model', reply: undefined });
  });

  test.each([408, 425, 429, 500, 502, 503, 504])('is polled again after %d', (status) => {
    const talk = talking();
    const poll = talk.poll?.(acknowledged);
    expect(talk.poll?.(wholeReply(status, 'busy'))).toBe(poll);
  });

  test.each([
    [400, 'bad_request'],
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [410, 'http_other'],
  ])('ends with a poll that is answered with %d', (status, outcome) => {
    const talk = talking();
    talk.poll?.(acknowledged);
    const refused = wholeReply(status, {});
    expect(talk.poll?.(refused)).toBeUndefined();
    expect(talk.read(refused)).toMatchObject({ outcome });
  });

  test('is not polled after a refused message', () => {
    const talk = talking();
    const refused = wholeReply(503, {});
    expect(talk.poll?.(refused)).toBeUndefined();
    expect(talk.read(refused)).toMatchObject({ outcome: 'server_error' });
  });

  test('of another attempt begins without the replies of the one before', () => {
    const talk = talking();
    talk.poll?.(acknowledged);
    talk.poll?.(complete);
    talk.read(wholeReply(0, '', { failure: 'timed_out' }));
    expect(pathAfter(talk, wholeReply(200, { id: 'r2', status: 'queued' }))).toBe('/threads/t%201/runs/r2');
  });

  test('has the values of the latest reply that has them; functions receive all replies', () => {
    const talk = talking({
      reply: {
        id: 'id',
        usage: { inputTokens: 'usage.in' },
        finish: 'why',
        model: (replies: readonly { by?: string }[]) => replies[0]?.by,
      },
    });
    talk.poll?.(wholeReply(200, { id: 'r1', by: 'm' }));
    talk.poll?.(wholeReply(200, { id: 'r2', usage: { in: 5 }, why: 'length' }));
    const answer = wholeReply(200, { answer: 'A' });
    talk.poll?.(answer);
    expect(talk.read(answer).reply).toMatchObject({
      id: 'r2',
      model: 'm',
      usage: { inputTokens: 5 },
      finish: 'length',
    });
  });

  test('may need requests with bodies, other header fields, and their own key', () => {
    const kept: string[] = [];
    const request: LaterPolls['request'] = () => ({
      method: 'POST',
      path: '/search',
      headers: { 'x-team': 'b', 'X-Api-Key': 'a-key-of-the-session' },
      body: { wait: true },
    });
    const talk = talking({ polls: { request }, own: { keepSecret: (secret) => kept.push(secret) } });
    const { route, body } = talk.poll?.(acknowledged)?.request ?? {};
    expect([route?.method, body]).toEqual(['POST', '{"wait":true}']);
    expect(route?.headers).toEqual({
      Accept: 'application/json',
      'Content-Type': 'application/json',
      'x-team': 'b',
      'X-Api-Key': 'a-key-of-the-session',
    });
    expect(kept).toContain('a-key-of-the-session');
  });

  test('is polled with the cookies so far', () => {
    const talk = talking({ api: { cookies: true } });
    const poll = talk.poll?.(wholeReply(200, { id: 'r' }, { headers: { 'set-cookie': 'a=1' } }));
    expect(poll?.request.route).toMatchObject({ headers: { Cookie: 'a=1' }, wantedHeaders: ['set-cookie', '*'] });
  });

  test('is requested at the origin of the target with its credentials, and of an allowed host without them', () => {
    const routeTo = (path: string) => {
      const message: ApiDefinition['message'] = { path: '/ask', headers: { 'X-Api-Key': 'k', 'X-Team': 'a' } };
      const request = (): PollRequest => ({ path, query: { wait: 1 }, headers: { 'X-Own-Token': 'stated' } });
      const mayReach = ({ host }: URL): boolean => host === 'jobs.example';
      const talk = talking({ polls: { request }, api: { message, cookies: true }, target: { mayReach } });
      return talk.poll?.(wholeReply(202, { id: 'r' }, { headers: { 'set-cookie': 'a=1' } }))?.request.route;
    };
    const [cookie, stated] = [
      { Cookie: 'a=1', 'X-Api-Key': 'k' },
      { 'X-Own-Token': 'stated', 'X-Team': 'a' },
    ];
    const elsewhere = routeTo('https://jobs.example/1?a=b');
    expect(elsewhere).toMatchObject({ origin: 'https://jobs.example', path: '/1?a=b&wait=1', headers: stated });
    expect(elsewhere?.headers).not.toHaveProperty('Cookie');
    expect(elsewhere?.headers).not.toHaveProperty('X-Api-Key');
    const beside = routeTo('http://h/elsewhere');
    expect(beside).toMatchObject({ origin: 'http://h', path: '/elsewhere?wait=1', headers: { ...cookie, ...stated } });
  });

  test.each([
    [{ path: 'http://h/v1/jobs/1?a=b' }, '/jobs/1?a=b'],
    [{ path: '/jobs/1', query: { a: 'x y' } }, '/jobs/1?a=x%20y'],
    [{ path: '/jobs?x=1', query: { a: 2 } }, '/jobs?x=1&a=2'],
    [{ path: ['jobs', 7, '../a?b#c'] }, '/jobs/7/..%2Fa%3Fb%23c'],
  ])('is requested at %j as %s', (request, path) => {
    expect(pathAfter(talking({ polls: { request: () => request } }))).toBe(path);
  });

  test.each([
    [{ path: 'https://other/v1/jobs' }, 'returned a URL of other, which is neither the target nor an allowed host'],
    [
      { path: '//other:8/v1/jobs' },
      'returned a URL of other:8, which is neither the target nor an allowed host: if you may load it, allow it with --allow-host other:8; otherwise return a URL',
    ],
    [{ path: 'wss://h/v1/jobs' }, 'returned a URL of the scheme wss:: return one of http or https'],
    [{ path: 'https://user:word@h/jobs' }, 'returned a URL with a user name or a password'],
    [{ path: ['jobs', '..'] }, "returned a path with a segment that is '..'"],
    [{ path: ['jobs', ''] }, 'returned a path with a segment that is an empty text'],
    [{ path: ['jobs', undefined] }, 'returned a path with a segment that is of type undefined'],
    [{ path: ['\ud800'] }, 'returned a path or a query with half a character'],
    [{ url: '/jobs' }, 'returned a value that is without a path'],
    ['/jobs', 'returned a value that is of type string'],
    [{ path: '/jobs', querry: {} }, "returned a request with an unknown key 'querry': did you mean 'query'?"],
    [{ path: '/jobs', method: 'get' }, 'returned a method that is not in capitals'],
  ])('breaks the contract with the request %j', (request, problem) => {
    const talk = talking({ polls: { request: () => request as never } });
    expect(talk.poll?.(acknowledged)).toBeUndefined();
    const { outcome, detail } = talk.read(acknowledged);
    expect([outcome, detail]).toEqual([
      'contract_broken',
      expect.stringContaining(`target.protocol.reply.then.poll.request ${problem}`),
    ]);
  });

  test.each([
    [{ done: () => true, text: () => undefined }, 'no text: target.protocol.reply.then.poll.text returned nothing'],
    [
      { done: () => true, text: () => 7 },
      'no text: target.protocol.reply.then.poll.text returned a value that is of type number',
    ],
    [{ fail: () => 'provider_eror' as never }, "unknown class 'provider_eror': did you mean 'provider_error'?"],
    [{ done: () => Promise.resolve(true) as never }, 'target.protocol.reply.then.poll.done returned a promise'],
  ])('breaks the contract: %s', (some, problem) => {
    const talk = talking({ polls: some });
    talk.poll?.(acknowledged);
    const { outcome, detail } = talk.read(acknowledged);
    expect([outcome, detail]).toEqual(['contract_broken', expect.stringContaining(problem)]);
  });

  test('has to be JSON in a poll; an acknowledgement may be a text, but no page', () => {
    const talk = talking({ polls: { request: () => ({ path: '/jobs' }) } });
    expect(pathAfter(talk, wholeReply(202, 'Accepted'))).toBe('/jobs');
    talk.poll?.(wholeReply(200, 'still busy'));
    expect(talk.read(wholeReply(200, 'still busy'))).toMatchObject({ outcome: 'malformed' });
    expect(talk.read(wholeReply(200, '<html>Log in'))).toMatchObject({ outcome: 'malformed' });
  });
});
