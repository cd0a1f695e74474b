import { describe, expect, test } from 'vitest';
import { jsonOf, openDefined, over, streamed } from '../../../test/support/defined-lab.ts';
import { saying, wholeReply } from '../../../test/support/stream-events.ts';
import type { Conversation } from '../protocol.ts';
import type { ApiDefinition, StreamDefinition } from './definition.ts';

const definition: ApiDefinition = {
  message: { path: '/ask', body: ({ message, stream }) => ({ message, stream }) },
  reply: { text: 'text', usage: { outputTokens: 'tokens' } },
  stream: { format: 'sse', end: 'done' },
};

function talking(stream: Partial<StreamDefinition> = {}, own: Partial<ApiDefinition> = {}): Conversation {
  const whole: ApiDefinition = { ...definition, ...own, stream: { format: 'sse', end: 'done', ...stream } };
  return openDefined(whole, { stream: true }).converse('');
}

/** The verdict on a reply of these events. */
function readEvents(events: Parameters<typeof streamed>[1], stream: Partial<StreamDefinition> = {}) {
  const talk = talking(stream);
  const begun = streamed(talk.request(saying('Hi')), events);
  return { verdict: talk.read(over(begun.stream)), pieces: begun.pieces, text: begun.stream.text };
}

describe('a streamed reply', () => {
  test('is requested as such', () => {
    const { route, body } = talking({ format: 'json-lines' }).request(saying('Hi'));
    expect(jsonOf({ route, body })).toEqual({ message: 'Hi', stream: true });
    expect(route.stream?.framing).toBe('json-lines');
    expect(route.headers['Accept']).toBe('application/x-ndjson, application/json');
    expect(talking().request(saying('Hi')).route.headers['Accept']).toBe('text/event-stream');
  });

  test('is not requested unless the scenario does', () => {
    const { route } = openDefined(definition).converse('').request(saying('Hi'));
    expect([route.stream, route.headers['Accept']]).toEqual([undefined, 'application/json']);
  });

  test('is the sum of its events, and distinguishes content from reasoning and the rest', () => {
    const { verdict, pieces } = readEvents(
      [
        '{"role":"agent"}',
        '{"thought":"Hm"}',
        '{"text":"Hel"}',
        '',
        '{"text":""}',
        '{"text":null}',
        '{"text":"lo."}',
        '{"done":true,"tokens":2,"id":"r1"}',
        '[DONE]',
      ],
      { reasoning: 'thought', id: 'id' },
    );
    expect(pieces).toEqual(['other', 'reasoning', 'content', 'other', 'other', 'other', 'content', 'other', 'other']);
    expect(verdict).toEqual({
      outcome: 'ok',
      detail: '',
      reply: {
        text: 'Hello.',
        id: 'r1',
        data: { done: true, tokens: 2, id: 'r1' },
        toolCalls: undefined,
        usage: { inputTokens: undefined, outputTokens: 2 },
      },
    });
  });

  test('that was cut has reported its usage so far, and a broken one its usage at the end', () => {
    const usage = { inputTokens: 'tokens', outputTokens: 'out' };
    const events = ['{"text":"Hi","tokens":7,"model":"m-1"}', '{"out":1}'];
    const talk = talking({ usage });
    const { stream } = streamed(talk.request(saying('Hi')), events);
    const cut = talk.read({ ...over(stream), failure: 'timed_out' });
    const spent = { usage: expect.objectContaining({ inputTokens: 7, outputTokens: 1 }) as object, model: 'm-1' };
    expect(cut).toMatchObject({ outcome: 'timed_out', spent: { ...spent, isFinal: false } });
    const broken = readEvents([...events, '{"done":true}', '{"text":5}'], { usage });
    expect(broken.verdict).toMatchObject({ outcome: 'contract_broken', spent: { ...spent, isFinal: true } });
  });

  test.each<[string, StreamDefinition['end'], [string, string]]>([
    ['the data [DONE]', '[DONE]', ['', '[DONE]']],
    ['an event of a type', { event: 'stop' }, ['stop', 'bye']],
    [
      'the result of a function of the data',
      ({ reason }: { reason?: string }) => reason !== undefined,
      ['', '{"reason":"length"}'],
    ],
    ['the result of a function of the type', (_, type) => type === 'stop', ['stop', '{}']],
  ])('ends with %s', (_, end, last) => {
    expect(readEvents(['{"text":"A"}', last], { end }).verdict).toMatchObject({ outcome: 'ok', reply: { text: 'A' } });
    expect(readEvents(['{"text":"A"}'], { end }).verdict).toMatchObject({ outcome: 'truncated' });
  });

  test.each([
    ['length', { outcome: 'ok', reply: { finish: 'length' } }],
    ['error', { outcome: 'provider_error', detail: "the reply ended with the reason 'error'" }],
  ])('states the reason %j in an event before its end', (why, verdict) => {
    const events = [`{"text":"A","why":null}`, `{"why":"${why}"}`, '{"done":true,"why":null}'];
    const stream = { format: 'json-lines', end: 'done', finish: 'why' } as const;
    expect(readEvents(events, stream).verdict).toMatchObject(verdict);
    expect(readEvents(events).verdict.reply?.finish).toBeUndefined();
  });

  test('adds up token usage from two events, and the tools called', () => {
    const { verdict, pieces } = readEvents(['{"in":3}', '{"tool":"1"}', '{"tool":"2"}', '{"out":5,"done":true}'], {
      usage: { inputTokens: 'in', outputTokens: 'out' },
      toolCalls: ({ tool }: { tool?: string }) =>
        tool === undefined ? [] : [{ id: tool, name: 'find', arguments: '{}' }],
    });
    expect(pieces).toEqual(['other', 'content', 'content', 'other']);
    expect(verdict.reply?.usage).toEqual({ inputTokens: 3, outputTokens: 5 });
    expect(verdict.reply?.toolCalls?.map(({ id }) => id)).toEqual(['1', '2']);
  });

  test('can contain the id of the session', () => {
    const message = { path: '/ask', body: ({ sessionId }: { sessionId: string }) => ({ sessionId }) };
    const talk = talking({ sessionId: 'session' }, { message });
    const { stream } = streamed(talk.request(saying('Hi')), ['{"session":"s1","text":"A"}', '{"done":true}']);
    talk.read(over(stream));
    expect(jsonOf(talk.request(saying('Again')))).toEqual({ sessionId: 's1' });
  });

  test('without content keeps the contract if its text is empty, or it calls tools', () => {
    expect(readEvents(['{"text":"","done":true}']).verdict).toMatchObject({ outcome: 'ok', reply: { text: '' } });
    const toolCalls = () => [{ id: '1', name: 'find', arguments: '{}' }];
    expect(readEvents(['{"done":true}'], { toolCalls }).verdict).toMatchObject({ outcome: 'ok', reply: { text: '' } });
  });
});

describe('a stream whose data is text', () => {
  const asText = (own: Partial<StreamDefinition> = {}): Partial<StreamDefinition> => ({
    data: 'text',
    end: '[DONE]',
    ...own,
  });

  test('is the sum of its events, with their spaces and line breaks, up to [DONE]', () => {
    const { verdict, pieces } = readEvents(['It', ' is\n', '{"n":1}', '  late.', '[DONE]'], asText());
    expect(verdict).toMatchObject({ outcome: 'ok', reply: { text: 'It is\n{"n":1}  late.', data: '  late.' } });
    expect(pieces).toEqual(['content', 'content', 'content', 'content', 'other']);
  });

  test.each<[string, StreamDefinition['end'], [string, string]]>([
    ['the type of an event, whose data is not a text', { event: 'stop' }, ['stop', 'bye']],
    ['an event without data', { event: 'stop' }, ['stop', '']],
    ['a function of the text', (text) => text === '.', ['', '.']],
    ['a function of the type', (_, type) => type === 'stop', ['stop', 'bye']],
  ])('ends with %s', (_, end, last) => {
    expect(readEvents(['A', last], asText({ end })).verdict).toMatchObject({ outcome: 'ok', reply: { text: 'A' } });
    expect(readEvents(['A', 'B'], asText({ end })).verdict).toMatchObject({ outcome: 'truncated' });
    const late = { text: 'AB', notes: [{ rule: 'text_after_end' }] };
    expect(readEvents(['A', last, 'B'], asText({ end })).verdict).toMatchObject({ outcome: 'ok', reply: late });
  });

  test.each([
    ['of a stream', { end: 'close' }, ['Hi', '{"error":{"message":"overloaded","type":"server_error"}}']],
    ['of a body', { format: 'text', data: undefined, end: undefined }, ['{"error":{"message":"over', 'loaded"}}']],
  ] as const)('is an error if it is one in JSON: %s', (_, own, events) => {
    const { verdict } = readEvents([...events], asText(own));
    expect(verdict.outcome).toMatch(/^(server|provider)_error$/);
    expect(verdict.detail).toContain('overloaded');
  });

  test('that only its response ends has no terminator in its text', () => {
    expect(readEvents(['Hi', '[DONE]'], asText({ end: 'close' })).verdict).toMatchObject({ reply: { text: 'Hi' } });
  });

  test('passes text and type to functions, and ignores the places of a JSON reply', () => {
    const text = (line: string, type: string) => (type === 'word' ? `${line} ` : undefined);
    const error = (line: string) => line.startsWith('ERR') && 'provider_error';
    const reply = { text: 'text', usage: () => ({ outputTokens: 1 }), id: ({ id }: { id: { at: string } }) => id.at };
    const talk = talking(asText({ text, error }), { reply });
    const { stream } = streamed(talk.request(saying('Hi')), [['word', 'A'], ['meta', '{}'], ['word', 'B'], '[DONE]']);
    expect(talk.read(over(stream))).toMatchObject({ outcome: 'ok', reply: { text: 'A B ' } });
    expect(readEvents(['ERR 7'], asText({ error })).verdict).toMatchObject({ outcome: 'provider_error' });
  });

  test('may be a body without events: an HTML page in its place is malformed', () => {
    const definition = { format: 'text', data: undefined, end: undefined } as const;
    const { route } = talking(definition).request(saying('Hi'));
    expect([route.stream?.framing, route.headers['Accept']]).toEqual(['text', '*/*']);
    expect(readEvents(['Hel', 'lo'], definition).verdict).toMatchObject({ outcome: 'ok', reply: { text: 'Hello' } });
    for (const page of ['<!DOCTYPE html><p>', ' \n<html lang="en">', '<HTML>', '<!-- x -->\n<?xml ?><html>', '<head>'])
      expect(readEvents([page.slice(0, 3), page.slice(3)], definition).verdict).toMatchObject({
        outcome: 'malformed',
        detail: 'an HTML page instead of text, such as that of a login or a firewall',
      });
    for (const text of ['<html-tag> is unknown', '<header>', '<!-- a remark -->'])
      expect(readEvents([text], definition).verdict.outcome).toBe('ok');
  });

  test('may be lines', () => {
    const { route } = talking(asText({ format: 'json-lines' })).request(saying('Hi'));
    expect(route.stream).toMatchObject({ framing: 'lines', isStated: true });
  });
});

describe('a stream that ends with its response', () => {
  test('is complete with it, and lost with its connection', () => {
    const talk = talking({ end: 'close', usage: { outputTokens: 'out' } });
    const { stream } = streamed(talk.request(saying('Hi')), ['{"text":"A","out":3}']);
    const lost = talk.read({ ...over(stream), failure: 'connection_lost', detail: 'cut' });
    expect(lost).toMatchObject({ outcome: 'connection_lost', spent: { isFinal: false } });
    expect(talk.read(over(stream))).toMatchObject({ outcome: 'ok', reply: { text: 'A', usage: { outputTokens: 3 } } });
  });

  test('requires a text', () => {
    expect(readEvents(['{"a":1}'], { end: 'close' }).verdict).toMatchObject({
      outcome: 'contract_broken',
      detail: 'no event has text at text: the reply has the key a',
    });
  });
});

test('an event without data ends a stream by its type', () => {
  const end = { event: 'stop' };
  expect(talking({ end }).request(saying('Hi')).route.stream?.passesEmpty).toBe(true);
  expect(talking().request(saying('Hi')).route.stream?.passesEmpty).toBeUndefined();
  expect(readEvents(['{"text":"A"}', ['stop', '']], { end }).verdict).toMatchObject({ outcome: 'ok' });
  expect(readEvents(['{"text":"A"}', ['other', '']], { end }).verdict).toMatchObject({ outcome: 'truncated' });
});

describe('a faulty stream', () => {
  test.each<[string, Partial<StreamDefinition>, string]>([
    ['a path', { text: 'delta.contents' }, ' at delta.contents: delta has the key content'],
    ['a function', { text: () => undefined }, ': target.protocol.stream.text returned nothing'],
  ])('no event has the text, by %s: reports the members that most of them have', (_, stream, words) => {
    const { verdict } = readEvents(
      ['{"role":"a"}', ...Array(3).fill('{"delta":{"content":"A"}}'), '{"done":true}'],
      stream,
    );
    expect(verdict).toEqual({ outcome: 'contract_broken', detail: `no event has text${words}`, reply: undefined });
  });

  test('without an end marker: truncated, with the text received so far', () => {
    const { verdict, text } = readEvents(['{"text":"Hel"}']);
    expect(verdict).toEqual({
      outcome: 'truncated',
      detail:
        "the stream ended without stream.end: if only the end of the response ends a reply, set stream.end to 'close'",
      reply: undefined,
    });
    expect(text).toBe('Hel');
  });

  test('of a whole reply in place of a stream: truncated, with the remedy for such a reply', () => {
    const { verdict } = readEvents(['{"output":"It is on its way."}']);
    expect(verdict).toMatchObject({
      outcome: 'truncated',
      detail: expect.stringContaining('set stream: false in target'),
    });
    expect(verdict.detail).not.toContain('stream.end');
  });

  test.each([
    ['text', 'malformed', "an event that is not JSON: 'text'"],
    ['{"text":7}', 'contract_broken', 'no text in an event at text: that is of type number'],
  ])('an event %s: %s', (event, outcome, detail) => {
    const { verdict, pieces } = readEvents(['{"text":"A"}', event, '{"text":"B"}', '{"done":true}']);
    expect(verdict).toEqual({ outcome, detail, reply: undefined });
    expect(pieces).toEqual(['content', 'other', 'other', 'other']);
  });

  test('with content after the end is a reply with a note', () => {
    const { verdict } = readEvents(['{"text":"A"}', '{"done":true}', '{"text":"B"}']);
    expect(verdict).toMatchObject({ outcome: 'ok', reply: { text: 'AB', notes: [{ rule: 'text_after_end' }] } });
  });

  test.each<[string, Partial<StreamDefinition>, Partial<ApiDefinition>, string]>([
    ['a field that is there', { error: 'error' }, {}, 'server_error'],
    ['true', { error: ({ error }: { error?: string }) => error !== undefined }, {}, 'server_error'],
    ['a class', { error: ({ error }: { error?: string }) => error && 'rate_limited' }, {}, 'rate_limited'],
    ['the class of errors', { error: 'error' }, { errors: () => 'provider_error' }, 'provider_error'],
  ])('an event that is an error by %s', (_, stream, own, outcome) => {
    const talk = talking(stream, own);
    const begun = streamed(talk.request(saying('Hi')), ['{"text":"A"}', '{"error":"x"}', '{"done":true}']);
    expect(talk.read(over(begun.stream))).toEqual({
      outcome,
      detail: 'an error inside a stream: x',
      reply: undefined,
    });
  });

  test.each<[keyof StreamDefinition, string]>([
    ['text', 'target.protocol.stream.text threw oh'],
    ['end', 'target.protocol.stream.end threw oh'],
    ['error', 'target.protocol.stream.error threw oh'],
    ['reasoning', 'target.protocol.stream.reasoning threw oh'],
    ['usage', 'target.protocol.stream.usage threw oh'],
  ])('a function of %s that throws', (field, detail) => {
    const oh = (): never => {
      throw new Error('oh');
    };
    const { verdict } = readEvents(['{"thought":"A"}'], { [field]: oh });
    expect(verdict).toEqual({ outcome: 'contract_broken', detail, reply: undefined });
  });

  test('a connection that breaks, and bytes that are not UTF-8', () => {
    const talk = talking();
    const whole = ['{"text":"A"}', '{"done":true}'];
    const lost = streamed(talk.request(saying('Hi')), ['{"text":"A"}']).stream;
    expect(talk.read(over(lost, { failure: 'connection_lost', detail: 'closed' }))).toMatchObject({
      outcome: 'connection_lost',
      detail: 'closed',
    });
    const garbled = streamed(talk.request(saying('Hi')), whole).stream;
    expect(talk.read(over(garbled, { isUtf8: false }))).toMatchObject({ outcome: 'malformed' });
  });

  test('a non-streamed reply instead: JSON, or anything else, unless it is an error', () => {
    const talk = talking(
      {},
      { errors: (_, body?: { error?: string }) => (body?.error === undefined ? undefined : 'chat_disabled') },
    );
    const verdicts = [
      wholeReply(200, { text: 'A' }),
      wholeReply(200, 'A', { contentType: 'text/plain' }),
      wholeReply(200, { error: 'off' }),
      wholeReply(503, ''),
    ].map((received) => talk.read(received));
    expect(verdicts.map(({ outcome, detail }) => [outcome, detail])).toEqual([
      ['contract_broken', 'a non-streamed JSON reply instead of the requested stream'],
      ['malformed', 'a reply of content type text/plain: check stream.format in the definition'],
      ['chat_disabled', 'status 200: off'],
      ['server_error', 'status 503'],
    ]);
  });
});
