import { describe, expect, test } from 'vitest';
import type { ContactResponse } from '../../conformance/contact/contact.ts';
import type { SeenReply } from './given-api.ts';
import { literal } from './literal.ts';
import { replyPlaces } from './reply-places.ts';
import { seenReply } from './seen-reply.ts';

const code = (seen: SeenReply): string =>
  literal(replyPlaces(seen, { sent: 'Hi', hasSession: false })?.fields).replaceAll(/\s+/g, ' ');
const stream = (...events: readonly (readonly [type: string, json: unknown])[]): SeenReply => ({
  format: 'sse',
  events: events.map(([type, json]) => ({ type, json, data: json === undefined ? '' : JSON.stringify(json) })),
});

test('events that a field tells apart are read by their kind', () => {
  const written = code(
    stream(
      ['', { event: 'start', data: 'You' }],
      ['', { event: 'token', data: 'You' }],
      ['', { event: 'token', data: ' said' }],
      ['', { event: 'metadata', data: { x: 1 } }],
      ['', { event: 'end', data: '[DONE]' }],
    ),
  );
  expect(written).toContain(
    "(event: { event?: string } & { data?: string }) => (event['event'] === 'token' ? event['data'] : undefined)",
  );
  expect(written).toContain("end: (event: Record<string, unknown>) => event['event'] === 'end'");
  expect(written).toContain("error: (event: Record<string, unknown>) => event['event'] === 'error'");
});

test('events that their type tells apart are read by it', () => {
  const written = code(stream(['metadata', { run: 'r' }], ['data', 'You '], ['data', 'said'], ['end', undefined]));
  expect(written).toContain(
    "(event: unknown, type: string) => (type === 'data' && typeof event === 'string' ? event : undefined)",
  );
  expect(written).toContain("end: { event: 'end' }");
  expect(written).toContain("error: (_: unknown, type: string) => type === 'error'");
});

test('events of one kind are read by the path', () => {
  expect(code(stream(['', { delta: 'a' }], ['', { delta: 'b', done: true }]))).toBe(
    "{ stream: { format: 'sse', text: 'delta', end: 'done' } }",
  );
});

test('an answer among other items of a list is the last of its kind', () => {
  const messages = [
    { message_type: 'reasoning_message', content: 'The user greets.' },
    { message_type: 'assistant_message', content: 'Hello.' },
    { message_type: 'tool_return_message', content: 'none' },
  ];
  expect(code({ json: { messages } })).toContain(
    "body?.['messages']?.findLast((item) => item['message_type'] === 'assistant_message')?.['content']",
  );
});

test.each([
  [{ usage: { prompt_tokens: 2, completion_tokens: 3 } }, "usage: 'openai'"],
  [{ usage: { input_tokens: 2, output_tokens: 3, cache_read_input_tokens: 0 } }, "usage: 'anthropic'"],
  [{ usageMetadata: { promptTokenCount: 2, candidatesTokenCount: 3 } }, "usage: 'gemini'"],
  [{ usage: { inputTokens: 2, outputTokens: 3 } }, "usage: 'bedrock'"],
  [{ prompt_eval_count: 2, eval_count: 3 }, "usage: { inputTokens: 'prompt_eval_count', outputTokens: 'eval_count' }"],
  [
    {
      usage: { billed_units: { input_tokens: 1, output_tokens: 1 }, tokens: { input_tokens: 2, output_tokens: 3 } },
    },
    "usage: { inputTokens: 'usage.tokens.input_tokens', outputTokens: 'usage.tokens.output_tokens' }",
  ],
])('the token counts of %j are the usage', (usage, line) => {
  expect(code({ json: { reply: 'Yes', ...usage } })).toContain(line);
});

test.each([
  [{ json: { reply: 'Yes', finish_reason: 'stop' } }, "finish: 'finish_reason'"],
  [{ json: { reply: 'Yes', meta: { stopReason: 'end' } } }, "finish: 'meta.stopReason'"],
])('the reason to end of %j is part of the definition', (seen, line) => {
  expect(code(seen)).toContain(line);
});

test('a reply without token counts has no usage', () => {
  expect(code({ json: { reply: 'Yes', total_tokens: 3, max_tokens: 100 } })).toBe("{ reply: { text: 'reply' } }");
});

test('JSON lines served as JSON are a stream', () => {
  const body = '{"type":"begin"}\n{"type":"item","content":"Yes"}\n{"type":"end"}\n';
  const response = {
    status: 200,
    version: 'HTTP/1.1',
    contentType: 'application/json',
    fields: [],
    detail: '',
  } as const;
  const times = { firstByteMs: 1, totalMs: 2, bodyLength: body.length, events: undefined, content: undefined };
  expect(seenReply({ ...response, ...times, body })).toMatchObject({ format: 'json-lines', events: { length: 3 } });
});

const response = (contentType: string, body: string, fields: readonly (readonly [string, string])[] = []) =>
  ({ status: 200, contentType, body, fields }) as ContactResponse;
const textOf = (...given: Parameters<typeof response>): string => {
  const seen = seenReply(response(...given));
  return seen === undefined ? 'unread' : code(seen);
};

test.each([
  ['that ends by closing', 'data: Hello\n\ndata:  there.\n\n', "stream: { format: 'sse', data: 'text', end: 'close' }"],
  ['that ends by a mark', 'data: It is 5\n\ndata: 5\n\ndata: [DONE]\n\n', "data: 'text', end: '[DONE]' }"],
  [
    'that ends by an event',
    'event: token\ndata: Hi\n\nevent: token\ndata: x\n\nevent: end\ndata:\n\n',
    "end: { event: 'end' }",
  ],
])('a stream of bare text %s is read as text', (_, body, expected) => {
  expect(textOf('text/event-stream', body)).toContain(expected);
});

test('bodies of text are read as text, streamed if they are chunked, and pages are not', () => {
  expect(textOf('text/plain; charset=utf-8', 'Hello there.')).toBe("{ reply: { format: 'text' } }");
  expect(textOf('text/plain', 'Hello there.', [['Transfer-Encoding', 'chunked']])).toBe(
    "{ stream: { format: 'text' } }",
  );
  expect(textOf('text/html', '<!doctype html><p>Log in</p>')).toBe('unread');
  expect(textOf('text/plain', '<!doctype html><p>Log in</p>')).toBe('unread');
});

test.each(['42', 'null', ' {"a":1}', ' "q"'])('one token that is not JSON decides for text, besides %s', (token) => {
  const events = [token, token, 'Hello', token].map((data) => `data: ${data}\n\n`).join('');
  expect(textOf('text/event-stream', events)).toContain("data: 'text'");
});

test('a list of objects with a text is read as a whole', () => {
  expect(code({ json: [{ text: 'Hello.' }, { text: 'More?' }] })).toBe("{ reply: { text: '*.text' } }");
  expect(code({ json: [{ text: 'Hello.' }] })).toBe("{ reply: { text: '*.text' } }");
  expect(code({ json: { messages: [{ text: 'Hello.' }, { text: 'More?' }] } })).toContain("'messages.*.text'");
});

const ofConnection = (totalMs: number, fields: readonly (readonly [string, string])[] = []) =>
  seenReply({ ...response('text/plain', 'Hello there.', fields), firstByteMs: 5, totalMs });

test('a body of text that ends with the connection is streamed if it arrives over time', () => {
  expect(ofConnection(60)).toMatchObject({ format: 'text' });
  expect(ofConnection(6)).toEqual({ text: 'Hello there.' });
  expect(ofConnection(60, [['content-length', '12']])).toEqual({ text: 'Hello there.' });
});

test('a body of text is streamed if streams are required', () => {
  expect(seenReply(response('text/plain', 'Hello there.'), true)).toMatchObject({ format: 'text' });
});

test('the last text or id of a stream that ends by closing is not its end', () => {
  expect(code(stream(['', { id: 'a', delta: 'You ' }], ['', { id: 'b', delta: 'said' }]))).toContain("end: 'close'");
});

describe('a stream that repeats the whole text after its parts', () => {
  const said = (text: string, more: object): [string, object] => ['', { content: { parts: [{ text }] }, ...more }];

  test.each<[string, (readonly [string, unknown])[]]>([
    [
      'as a flag',
      [said('Look', { partial: true }), said('ing', { partial: true }), said('Looking', { partial: false })],
    ],
    [
      'by a flag that is absent from the whole',
      [said('Yes', { partial: true }), said(', no', { partial: true }), said('Yes, no', {})],
    ],
    [
      'twice, with a tool call between them',
      [
        said('A', { partial: true }),
        said('b', { partial: true }),
        said('Ab', { partial: false }),
        ['', { content: { parts: [{ functionCall: {} }] } }],
        said('C', { partial: true }),
        said('d', { partial: true }),
        said('Cd', { partial: false }),
      ],
    ],
  ])('takes the parts alone, marked %s', (_, events) => {
    expect(code(stream(...events))).toContain("['partial'] === true ?");
  });

  test.each<[string, object, object]>([
    ['null in the parts', { finish: null }, { finish: 'stop' }],
    ['absent from the parts', {}, { finish: 'stop' }],
    [
      'of ids and numbers besides',
      { message_id: 'a', n: 1, ref: 'x7' },
      { message_id: 'b', n: 2, ref: 'x8', finish: 'stop' },
    ],
  ])('takes the events without the mark of the whole: %s', (_, ofPart, ofWhole) => {
    const events = [said('Yes', ofPart), said(', no', ofPart), said('Yes, no', ofWhole)];
    expect(code(stream(...events))).toContain("['finish'] !== 'stop' ?");
  });

  test('of another kind takes the kind of the parts alone', () => {
    const written = code(
      stream(
        ['', { type: 'delta', text: 'Yes' }],
        ['', { type: 'delta', text: ', no' }],
        ['', { type: 'message', text: 'Yes, no' }],
      ),
    );
    expect(written).toContain("(event['type'] === 'delta' ? event['text'] : undefined)");
  });

  test('without a difference takes all of them', () => {
    expect(code(stream(['', { text: 'a' }], ['', { text: 'b' }], ['', { text: 'ab' }]))).toContain("text: 'text'");
  });
});

test.each([
  ['generated_text', null, 'It is here.', "(event['generated_text'] ?? null) !== null"],
  ['generated_text', undefined, 'It is here.', "(event['generated_text'] ?? null) !== null"],
  ['finish_reason', undefined, 'stop', "(event['finish_reason'] ?? null) !== null"],
  ['state', 'running', 'done', "event['state'] === 'done'"],
])('the end of a stream by its field %s, %j before', (name, before, last, condition) => {
  const event = (text: string, value: unknown) => ({ type: '', data: 'x', json: { token: { text }, [name]: value } });
  const events = [event('It ', before), event('is ', before), event('here.', last)];
  expect(code({ format: 'sse', events })).toContain(`end: (event: Record<string, unknown>) => ${condition}`);
});

test('a stream of one event ends with its response', () => {
  const seen = seenReply(response('text/event-stream', 'data: {"delta":"It is here."}\n\n'));
  const places = seen && replyPlaces(seen, { sent: 'Hi', hasSession: false });
  expect(places?.fields['stream']).toMatchObject({ text: 'delta', end: 'close' });
});

test.each([
  ['sse', 'the data of the events, which is text'],
  ['json-lines', 'the lines, which are text'],
  ['text', 'the body, which is text, as it arrives'],
] as const)('the text of a reply in the format %s is named by its kind', (format, words) => {
  const events = ['Good', ' day'].map((data) => ({ type: '', data, json: undefined }));
  expect(replyPlaces({ format, events }, { sent: 'Hi', hasSession: false })?.words).toBe(words);
});
