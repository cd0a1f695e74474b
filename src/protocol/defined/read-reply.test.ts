import { describe, expect, test } from 'vitest';
import { openDefined } from '../../../test/support/defined-lab.ts';
import { saying, wholeReply } from '../../../test/support/stream-events.ts';
import type { Received, Verdict } from '../protocol.ts';
import type { ApiDefinition } from './definition.ts';

const definition = {
  message: { path: '/ask', body: ({ message }: { message: string }) => ({ message }) },
  reply: { text: 'answer.text' },
} satisfies ApiDefinition;

function read(received: Received, own: Partial<ApiDefinition> = {}): Verdict {
  const talk = openDefined({ ...definition, ...own }).converse('s1');
  talk.request(saying('Hi'));
  return talk.read(received);
}

const broken = (detail: string): Verdict => ({ outcome: 'contract_broken', detail, reply: undefined });

describe('a reply', () => {
  test('is read from the defined paths', () => {
    const body = { answer: { text: 'Hello.', id: 7 }, tokens: { in: 3, out: 5 } };
    const reply = {
      text: 'answer.text',
      id: 'answer.id',
      usage: { inputTokens: 'tokens.in', outputTokens: 'tokens.out' },
    };
    expect(read(wholeReply(200, body), { reply })).toEqual({
      outcome: 'ok',
      detail: '',
      reply: {
        text: 'Hello.',
        id: '7',
        data: body,
        toolCalls: undefined,
        usage: { inputTokens: 3, outputTokens: 5 },
      },
    });
  });

  test('is read by functions, which may return its details, from a list too', () => {
    const verdict = read(wholeReply(201, [{ text: 'One.' }, { text: 'Two.' }]), {
      reply: {
        text: (body: { text: string }[]) => body.map(({ text }) => text).join(' '),
        usage: (body: unknown[]) => ({ outputTokens: body.length }),
        toolCalls: () => [{ id: '1', name: 'find', arguments: '{}' }],
      },
    });
    expect(verdict.reply).toMatchObject({
      text: 'One. Two.',
      usage: { inputTokens: undefined, outputTokens: 2 },
      toolCalls: [{ id: '1', name: 'find', arguments: '{}' }],
    });
  });

  test.each([
    ['stop', { outcome: 'ok', reply: { finish: 'complete' } }],
    ['MAX_TOKENS', { outcome: 'ok', reply: { finish: 'length' } }],
    [null, { outcome: 'ok', reply: { finish: 'none' } }],
    ['server_error', { outcome: 'provider_error', detail: "the reply ended with the reason 'server_error'" }],
  ])('with the reason %j to end', (why, verdict) => {
    const reply = { ...definition.reply, finish: 'why' };
    expect(read(wholeReply(200, { answer: { text: 'A' }, why }), { reply })).toMatchObject(verdict);
  });

  test.each([[-1], ['5'], [1.5], [null]])('with %j tokens has no usage', (told) => {
    const reply = { ...definition.reply, usage: { outputTokens: 'tokens' } };
    const verdict = read(wholeReply(200, { answer: { text: 'A' }, tokens: told }), { reply });
    expect(verdict).toMatchObject({ outcome: 'ok', reply: { usage: undefined } });
  });

  test('may be empty, and may be tool calls alone', () => {
    expect(read(wholeReply(200, { answer: { text: '' } }))).toMatchObject({ outcome: 'ok', reply: { text: '' } });
    const toolCalls = () => [{ id: '1', name: 'find', arguments: '{}' }];
    const verdict = read(wholeReply(200, { answer: { text: null } }), { reply: { ...definition.reply, toolCalls } });
    expect(verdict).toMatchObject({ outcome: 'ok', reply: { text: '' } });
  });

  test.each([
    [{ reply: 'secret' }, 'no text at answer.text: the reply has the key reply'],
    [{ answer: { texts: ['secret'] } }, 'no text at answer.text: answer has the key texts'],
    [{ answer: { text: 7 } }, 'no text at answer.text: that is of type number'],
    [['secret'], 'no text at answer.text: the reply is a list'],
  ])('without its text reports the members, without the values: %j', (body, detail) => {
    expect(read(wholeReply(200, body))).toEqual(broken(detail));
  });

  test('without an id that its definition has breaks the contract', () => {
    const reply = { ...definition.reply, id: 'id' };
    const detail = 'no id at id: the reply has the key answer';
    expect(read(wholeReply(200, { answer: { text: 'A' } }), { reply })).toEqual(broken(detail));
  });

  test.each<[string, ApiDefinition['reply'], string]>([
    [
      'throws',
      { text: (body: { a: { b: string } }) => body.a.b },
      "target.protocol.reply.text threw Cannot read properties of undefined (reading 'b')",
    ],
    [
      'quotes the reply as it throws',
      { text: () => JSON.parse('secret') as string },
      'target.protocol.reply.text threw a SyntaxError',
    ],
    ['returns nothing', { text: () => undefined }, 'no text: target.protocol.reply.text returned nothing'],
    [
      'returns a value that is not text',
      { text: () => 7 },
      'no text: target.protocol.reply.text returned a value that is of type number',
    ],
    [
      'returns a promise',
      { text: () => Promise.resolve('secret') },
      'target.protocol.reply.text returned a promise, but a run does not wait for promises: await its values at the top of the scenario file',
    ],
    [
      'returns calls of another shape',
      { text: 'answer.text', toolCalls: () => [{ id: '1' }] as never },
      'target.protocol.reply.toolCalls returned a call without id, name and arguments as texts',
    ],
  ])('whose function %s is malformed, with a detail', (_, reply, detail) => {
    expect(read(wholeReply(200, { answer: { text: 'A' } }), { reply })).toEqual(broken(detail));
  });

  test.each([
    [200, 'Hello', 'malformed', "status 200 whose body is not JSON: 'Hello'"],
    [204, '', 'http_other', 'status 204'],
    [202, '{}', 'http_other', 'status 202'],
    [301, '', 'http_other', 'status 301'],
    [400, '', 'bad_request', 'status 400'],
    [401, '{}', 'unauthorized', 'status 401'],
    [403, '', 'forbidden', 'status 403'],
    [404, '', 'not_found', 'status 404'],
    [429, '', 'rate_limited', 'status 429'],
    [503, '<html>', 'server_error', 'status 503'],
  ])('has the class of its status: %i %j is %s', (status, body, outcome, detail) => {
    expect(read(wholeReply(status, body))).toEqual({ outcome, detail, reply: undefined });
  });

  test('that never arrived has the class of its failure', () => {
    const lost = wholeReply(0, '', { failure: 'connection_lost', detail: 'closed in the head' });
    expect(read(lost)).toEqual({ outcome: 'connection_lost', detail: 'closed in the head', reply: undefined });
  });

  test('that is not UTF-8 is malformed', () => {
    const received = wholeReply(200, { answer: { text: 'A' } }, { isUtf8: false });
    expect(read(received)).toMatchObject({ outcome: 'malformed', detail: 'status 200 whose body is not UTF-8' });
  });
});

describe('errors', () => {
  const errors: ApiDefinition['errors'] = (_, body: { error?: { code?: string } } | undefined) =>
    body?.error?.code === 'no_credit' ? 'forbidden' : undefined;

  test('give a response its class, whatever its status, or leave it to that', () => {
    expect(read(wholeReply(200, { error: { code: 'no_credit' } }), { errors })).toMatchObject({ outcome: 'forbidden' });
    expect(read(wholeReply(429, { error: { code: 'no_credit' } }), { errors })).toMatchObject({ outcome: 'forbidden' });
    expect(read(wholeReply(429, {}), { errors })).toMatchObject({ outcome: 'rate_limited' });
    expect(read(wholeReply(429, 'later'), { errors })).toMatchObject({ outcome: 'rate_limited' });
  });

  test('of creations have it too', () => {
    const createSession = { path: '/start', sessionId: 'id' };
    const { creation } = openDefined({ ...definition, createSession, errors });
    expect(creation?.read(wholeReply(500, { error: { code: 'no_credit' } }))).toMatchObject({ outcome: 'forbidden' });
  });

  test.each([
    ['forbiden', "target.protocol.errors returned an unknown class 'forbiden': did you mean 'forbidden'?"],
    ['ok', /^target\.protocol\.errors returned an unknown class 'ok'/],
    [7, 'target.protocol.errors returned a value that is not a class of errors'],
  ])('that are %j are malformed, with a detail', (given, detail) => {
    const verdict = read(wholeReply(400, {}), { errors: () => given as never });
    expect(verdict).toEqual({
      outcome: 'contract_broken',
      detail: typeof detail === 'string' ? detail : expect.stringMatching(detail),
      reply: undefined,
    });
  });
});

test('a message without a body has no content type, unless the definition states one', () => {
  const headersOf = (message: ApiDefinition['message']) =>
    openDefined({ ...definition, message })
      .converse('')
      .request(saying('Hi')).route.headers;
  expect(headersOf({ path: '/a' })).toEqual({ Accept: 'application/json' });
  expect(headersOf({ path: '/a', headers: { 'Content-Type': 'text/plain' } })).toMatchObject({
    'Content-Type': 'text/plain',
  });
});

describe('a reply of several texts', () => {
  const bubbles = (body: unknown, text = '*.text') => {
    const talk = openDefined({ message: { path: '/a' }, reply: { text } }).converse('');
    return talk.read(wholeReply(200, body));
  };

  test.each([
    ['*.text', [{ text: 'A' }, { image: 'x' }, { text: null }, { text: '' }, { text: 'B' }], 'A\nB'],
    [
      'data.*.parts.*.text',
      { data: [{ parts: [{ text: 'A' }, { text: 'B' }] }, {}, { parts: [{ text: 'C' }] }] },
      'A\nB\nC',
    ],
    ['*', ['A', 'B'], 'A\nB'],
    ['*.text', [{ text: '' }], ''],
  ])('at %s is joined by line breaks', (path, body, text) =>
    expect(bubbles(body, path)).toMatchObject({ outcome: 'ok', reply: { text } }),
  );

  test.each([
    [[], 'no text at *.text: the reply is a list'],
    [[{ image: 'x' }], 'no text at *.text: 0 has the key image'],
    [{ text: 'A' }, 'no text at *.text: the reply has the key text'],
    [[{ text: 'A' }, { text: 7 }], 'no text at *.text: that is of type number'],
  ])('is missing in %j', (body, detail) => expect(bubbles(body)).toMatchObject({ outcome: 'contract_broken', detail }));
});

describe('a reply that is text', () => {
  const read = (status: number, body: string, reply: ApiDefinition['reply'] = {}, rest: Partial<Received> = {}) =>
    openDefined({ message: { path: '/a' }, reply: { format: 'text', ...reply } })
      .converse('')
      .read(wholeReply(status, body, rest));

  test('is its body, with every content type and 2xx', () => {
    expect(read(200, ' "Hi"\n')).toMatchObject({ outcome: 'ok', reply: { text: ' "Hi"\n' } });
    expect(read(203, '{"a":1}', {}, { contentType: 'text/csv' })).toMatchObject({ reply: { text: '{"a":1}' } });
    expect(read(200, 'A', { text: (body: string) => `${body}!` })).toMatchObject({ reply: { text: 'A!' } });
  });

  test.each([
    [200, '<!doctype html><title>Log in</title>', 'malformed'],
    [200, '\n<html>', 'malformed'],
    [204, '', 'http_other'],
    [503, 'Busy', 'server_error'],
  ])('is not a body with status %i: %s', (status, body, outcome) => expect(read(status, body).outcome).toBe(outcome));

  test('is UTF-8', () => expect(read(200, '\u{fffd}', {}, { isUtf8: false }).outcome).toBe('malformed'));
});
