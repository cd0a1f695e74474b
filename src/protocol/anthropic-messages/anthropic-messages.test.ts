import { describe, expect, test } from 'vitest';
import {
  expectAnySplit,
  readEvents,
  replyOf,
  requestOf,
  saying,
  talkBy,
  wholeReply,
  type WrittenEvent,
} from '../../../test/support/stream-events.ts';
import type { Conversation } from '../protocol.ts';
import { anthropicMessages } from './anthropic-messages.ts';

const { converse, streamed } = talkBy(anthropicMessages);

const message = (content: unknown, rest: object = {}): object => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'model-1',
  content,
  stop_reason: 'end_turn',
  usage: { input_tokens: 9, output_tokens: 12 },
  ...rest,
});
const text = (said: unknown): object => ({ type: 'text', text: said });
const toolUse = (id: string, input: unknown): object => ({ type: 'tool_use', id, name: 'find', input });
const failure = (type: string, words = ''): object => ({ type: 'error', error: { type, message: words } });

const event = (type: string, fields: object = {}): [string, object] => [type, { type, ...fields }];
const start = event('message_start', {
  message: message([], { stop_reason: null, usage: { input_tokens: 9, output_tokens: 1 } }),
});
const begin = (block: object, index = 0) => event('content_block_start', { index, content_block: block });
const delta = (fields: object, index = 0) => event('content_block_delta', { index, delta: fields });
const says = (said: unknown) => delta({ type: 'text_delta', text: said });
const done = event('content_block_stop', { index: 0 });
const outcome = event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 12 } });
const stop = event('message_stop');
const streamOf = (...inside: WrittenEvent[]): WrittenEvent[] => [
  start,
  begin(text('')),
  ...inside,
  done,
  outcome,
  stop,
];

describe('a request for a message', () => {
  test('names the model, the limit that the API requires and its version, and has a header for the key', () => {
    const { route } = converse().request(saying('Hello'));
    expect(requestOf(converse(), saying('Hello'))).toEqual({
      path: '/v1/messages',
      body: { model: 'model-1', max_tokens: 1024, messages: [{ role: 'user', content: 'Hello' }] },
    });
    expect(route.headers).toMatchObject({ 'anthropic-version': '2023-06-01', Accept: 'application/json' });
    expect(anthropicMessages.authorize('k')).toEqual({ 'x-api-key': 'k' });
  });

  test('has the fields of the scenario, and asks for a stream', () => {
    const conversation = converse({ stream: true, messageBody: { max_tokens: 5, stream: false } });
    expect(requestOf(conversation, saying('Hello')).body).toMatchObject({ max_tokens: 5, stream: true });
  });

  test("has instructions next to the messages, from the scenario's fields if it has some", () => {
    const variableValues = '{"name":"Ada"}';
    const instructed = converse({ instructions: 'Serve {{name}}.' });
    expect(requestOf(instructed, saying('Hello', { variableValues })).body['system']).toBe('Serve Ada.');
    const own = converse({ instructions: 'Serve {{name}}.', messageBody: { system: 'Be brief.' } });
    expect(requestOf(own, saying('Hello', { variableValues })).body['system']).toBe('Be brief.');
    expect(requestOf(converse(), saying('Hello')).body).not.toHaveProperty('system');
  });

  test('below a base URL that ends in /v1 does not repeat it', () => {
    const target = { baseUrl: 'https://api.example.com/v1' };
    expect(requestOf(converse(target), saying('Hello')).path).toBe('/messages');
  });
});

describe('the conversation that the client keeps', () => {
  const messagesOf = (conversation: Conversation, said: string): unknown =>
    requestOf(conversation, saying(said)).body['messages'];

  test('grows by each message and answer, except answers that the API would reject', () => {
    const conversation = converse();
    conversation.request(saying('a'));
    conversation.replied?.(replyOf('A'));
    conversation.request(saying('b'));
    conversation.replied?.(replyOf(''));
    expect(messagesOf(conversation, 'c')).toEqual([
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'A' },
      { role: 'user', content: 'b' },
      { role: 'user', content: 'c' },
    ]);
  });

  test('forgets failed turns, and keeps the parts that users had read when they left', () => {
    const conversation = converse();
    conversation.request(saying('a'));
    conversation.left?.('A, begun');
    conversation.request(saying('lost'));
    conversation.request(saying('left at once'));
    conversation.left?.('');
    expect(messagesOf(conversation, 'b')).toEqual([
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'A, begun' },
      { role: 'user', content: 'b' },
    ]);
  });

  test('has the calls of a reply if their results follow', () => {
    const conversation = converse();
    const toolCalls = [
      { id: 't1', name: 'find', arguments: '{"n":1}' },
      { id: 't2', name: 'find', arguments: '{"n":' },
    ];
    conversation.request(saying('a'));
    conversation.replied?.(replyOf('Wait.', { toolCalls }));
    const toolResults = toolCalls.map(({ id, name }) => ({ id, name, content: `found ${id}` }));
    expect(requestOf(conversation, saying('', { toolResults })).body['messages']).toEqual([
      { role: 'user', content: 'a' },
      { role: 'assistant', content: [text('Wait.'), toolUse('t1', { n: 1 }), toolUse('t2', {})] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: 'found t1' },
          { type: 'tool_result', tool_use_id: 't2', content: 'found t2' },
        ],
      },
    ]);
    expect(messagesOf(conversation, 'b')).toEqual([
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'Wait.' },
      { role: 'user', content: 'b' },
    ]);
  });
});

describe('a non-streamed message', () => {
  test('is a reply with its id, its data, its calls and all tokens of its request', () => {
    const usage = {
      input_tokens: 9,
      cache_creation_input_tokens: 100,
      cache_read_input_tokens: 1000,
      output_tokens: 12,
    };
    const body = message([text('Hi'), { type: 'thinking', thinking: 'Hm' }, text(' you'), toolUse('t1', { n: 1 })], { usage }); // prettier-ignore
    expect(converse().read(wholeReply(200, body)).reply).toEqual({
      text: 'Hi you',
      id: 'msg_1',
      data: body,
      toolCalls: [{ id: 't1', name: 'find', arguments: '{"n":1}', signature: '{"type":"thinking","thinking":"Hm"}' }],
      usage: { inputTokens: 1109, outputTokens: 12, cachedInputTokens: 1000, cacheWriteTokens: 100 },
      model: 'model-1',
      finish: 'complete',
    });
  });

  test.each<[number, unknown, string]>([
    [200, message([]), 'ok'],
    [200, message([toolUse('t1', {})]), 'ok'],
    [200, message(null), 'contract_broken'],
    [200, message([7]), 'contract_broken'],
    [200, message([text(7)]), 'contract_broken'],
    [200, message([{ type: 'tool_use', id: 't1' }]), 'contract_broken'],
    [200, 'Hi', 'malformed'],
    [200, failure('overloaded_error'), 'server_error'],
    [400, failure('invalid_request_error', 'max_tokens: required'), 'bad_request'],
    [400, failure('invalid_request_error', 'Your credit balance is too low to access the API.'), 'forbidden'],
    [401, failure('authentication_error'), 'unauthorized'],
    [402, failure('billing_error'), 'forbidden'],
    [402, failure('other'), 'http_other'],
    [403, failure('permission_error'), 'forbidden'],
    [404, failure('not_found_error', 'Not found'), 'not_found'],
    [404, failure('not_found_error', 'model: model-1'), 'agent_not_found'],
    [413, failure('request_too_large'), 'http_other'],
    [429, failure('rate_limit_error'), 'rate_limited'],
    [500, failure('api_error'), 'server_error'],
    [529, failure('overloaded_error'), 'server_error'],
  ])('of status %i and body %j is %s', (status, body, expected) =>
    expect(converse().read(wholeReply(status, body)).outcome).toBe(expected),
  );
});

describe('a streamed message', () => {
  test('is a reply of the same shape as a non-streamed one', () => {
    const { pieces, verdict } = readEvents(streamed(), streamOf(event('ping'), says('Hi'), says(' you')));
    expect(pieces).toEqual(['other', 'other', 'other', 'content', 'content', 'other', 'other', 'other']);
    expect(verdict).toEqual({
      outcome: 'ok',
      detail: '',
      reply: {
        text: 'Hi you',
        id: 'msg_1',
        data: message([text('Hi you')]),
        toolCalls: undefined,
        usage: { inputTokens: 9, outputTokens: 12 },
        model: 'model-1',
        finish: 'complete',
      },
    });
  });

  test('has its tool calls assembled, their arguments as received', () => {
    const events = [
      start,
      begin(toolUse('t1', {})),
      delta({ type: 'input_json_delta', partial_json: '' }),
      delta({ type: 'input_json_delta', partial_json: '{"n": ' }),
      delta({ type: 'input_json_delta', partial_json: '1}' }),
      done,
      begin(toolUse('t2', { m: 2 }), 1),
      begin({ type: 'server_tool_use', id: 's1', name: 'search' }, 2),
      delta({ type: 'input_json_delta', partial_json: '{"q":1}' }, 2),
      outcome,
      stop,
    ];
    const { pieces, verdict } = readEvents(streamed(), events);
    expect(pieces.slice(1, 5)).toEqual(['content', 'other', 'content', 'content']);
    expect(verdict.reply).toMatchObject({
      text: '',
      data: { content: [toolUse('t1', { n: 1 }), toolUse('t2', { m: 2 })] },
      toolCalls: [
        { id: 't1', name: 'find', arguments: '{"n": 1}' },
        { id: 't2', name: 'find', arguments: '{"m":2}' },
      ],
    });
  });

  test('has its thinking again before its calls, whole, if their results follow', () => {
    const events = [
      start,
      begin({ type: 'thinking', thinking: '', signature: '' }),
      delta({ type: 'thinking_delta', thinking: 'Let me ' }),
      delta({ type: 'thinking_delta', thinking: 'look.' }),
      delta({ type: 'signature_delta', signature: 'EqQB' }),
      done,
      begin({ type: 'redacted_thinking', data: 'EmwK' }, 1),
      begin(toolUse('t1', {}), 2),
      delta({ type: 'input_json_delta', partial_json: '{"n":1}' }, 2),
      outcome,
      stop,
    ];
    const conversation = streamed();
    const { reply } = readEvents(conversation, events).verdict;
    if (reply === undefined) throw new Error('no reply');
    conversation.replied?.(reply);
    const toolResults = [{ id: 't1', name: 'find', content: 'found' }];
    expect(requestOf(conversation, saying('', { toolResults })).body['messages']).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Let me look.', signature: 'EqQB' },
          { type: 'redacted_thinking', data: 'EmwK' },
          toolUse('t1', { n: 1 }),
        ],
      },
      { role: 'user' },
    ]);
  });

  test('carries reasoning apart from its text', () => {
    const events = [
      start,
      begin({ type: 'thinking', thinking: '' }),
      delta({ type: 'thinking_delta', thinking: 'Hm' }),
      delta({ type: 'thinking_delta', thinking: '' }),
      delta({ type: 'signature_delta', signature: 'x' }),
    ];
    expect(readEvents(streamed(), events)).toMatchObject({
      pieces: ['other', 'other', 'reasoning', 'other', 'other'],
      text: '',
    });
  });

  const many = ['a', 'b', 'c', 'd'].map(says);
  const another = event('message_start', { message: message([], { id: 'msg_2' }) });
  test.each<[string, WrittenEvent[], string]>([
    ['no content', [start, outcome, stop], 'ok'],
    ['its beginning twice', [start, start, outcome, stop], 'ok'],
    ['an event of a new kind', streamOf(event('news'), says('Hi')), 'ok'],
    ['no event', [], 'truncated'],
    ['no end', streamOf(says('Hi')).slice(0, -2), 'truncated'],
    ['an event that is not JSON', streamOf('{"type":'), 'malformed'],
    ['another message', streamOf(says('Hi'), another), 'contract_broken'],
    ['a delta that is not ane', streamOf(event('content_block_delta', { index: 0 })), 'contract_broken'],
    ['a second block, after many', streamOf(...many, begin(text(''), 1), delta({ type: 'text_delta', text: 'Hi' }, 1)), 'ok'],
    ['a text that is not a string', streamOf(says(7)), 'contract_broken'],
    ['content after its end', [...streamOf(says('Hi')), begin(text('Hi'))], 'ok'],
    ['an error', streamOf(['error', failure('api_error')]), 'server_error'],
    ['an error without the name of its event', streamOf(failure('rate_limit_error')), 'rate_limited'],
    ['an overload', streamOf(['error', failure('overloaded_error')]), 'server_error'],
    ['an authentication error', [['error', failure('authentication_error')]], 'unauthorized'],
    ['a missing permission', [['error', failure('permission_error')]], 'forbidden'],
    ['an invalid request', [['error', failure('invalid_request_error')]], 'bad_request'],
    ['a request too large', [['error', failure('request_too_large')]], 'http_other'],
    ['used-up credit', [['error', failure('invalid_request_error', 'Your credit balance is too low')]], 'forbidden'],
    ['a billing error', [['error', failure('billing_error')]], 'forbidden'],
    ['an unknown model', [['error', failure('not_found_error', 'model: x')]], 'agent_not_found'],
  ])('with %s: %j is %s', (_, events, expected) =>
    expect(readEvents(streamed(), events).verdict.outcome).toBe(expected),
  ); // prettier-ignore

  test('that breaks off keeps the text received', () => {
    const { text: said, verdict } = readEvents(streamed(), [start, begin(text('')), says('Hi')], { failure: 'connection_lost' }); // prettier-ignore
    expect([said, verdict.outcome]).toEqual(['Hi', 'connection_lost']);
  });

  test('that was requested but is not streamed is malformed', () => {
    expect(streamed().read(wholeReply(200, message([text('Hi')]))).outcome).toBe('contract_broken');
  });

  test('yields the same text however it is split', () =>
    expectAnySplit(streamed, { before: 2, eventsOf: (parts) => streamOf(...parts.map(says)) }));
});
