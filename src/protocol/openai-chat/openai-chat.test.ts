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
import { openaiChat } from './openai-chat.ts';

const { converse, streamed } = talkBy(openaiChat);

const completion = (message: unknown, rest: object = {}): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  model: 'model-1',
  choices: [{ index: 0, message, finish_reason: 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 },
  ...rest,
});
const said = (content: unknown): object => completion({ role: 'assistant', content });

const chunk = (delta: object, rest: object = {}): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  model: 'model-1',
  choices: [{ index: 0, delta, finish_reason: null, ...rest }],
});
const finished = chunk({}, { finish_reason: 'stop' });
const usage = { ...chunk({}), choices: [], usage: { prompt_tokens: 9, completion_tokens: 2 } };
const call = (id: string, name: string, text: string): object => ({
  id,
  type: 'function',
  function: { name, arguments: text },
});

describe('a request for a completion', () => {
  test('names the model, and has a header for the key', () => {
    expect(requestOf(converse(), saying('Hello'))).toEqual({
      path: '/v1/chat/completions',
      body: { model: 'model-1', messages: [{ role: 'user', content: 'Hello' }] },
    });
    expect(openaiChat.authorize('k')).toEqual({ Authorization: 'Bearer k' });
  });

  test('for a streamed reply requests usage too', () => {
    const request = streamed().request(saying('Hello'));
    expect(JSON.parse(request.body)).toMatchObject({ stream: true, stream_options: { include_usage: true } });
    expect(request.route.headers).toEqual({ 'Content-Type': 'application/json', Accept: 'text/event-stream' });
  });

  test.each([
    ['https://api.example.com', '/v1/chat/completions'],
    ['https://api.example.com/v1', '/chat/completions'],
    ['https://api.example.com/openai/v1/', '/chat/completions'],
    ['https://api.example.com/openai', '/v1/chat/completions'],
    ['https://api.example.com/v11', '/v1/chat/completions'],
  ])('below %s goes to %s', (baseUrl, path) =>
    expect(requestOf(converse({ baseUrl }), saying('Hello')).path).toBe(path),
  );

  test('is sent to the configured path', () => {
    const target = { baseUrl: 'https://api.example.com/v1', messagesPath: '/v2/talk' };
    expect(requestOf(converse(target), saying('Hello')).path).toBe('/v2/talk');
  });

  test('has the fields of the scenario, except those written by the protocol', () => {
    const messageBody = {
      temperature: 0,
      stream_options: {},
      model: 'x',
      messages: [],
      stream: false,
      input: 1,
      previous_response_id: 'x',
      conversation: 'x',
    };
    expect(requestOf(converse({ stream: true, messageBody }), saying('Hello')).body).toEqual({
      model: 'model-1',
      stream: true,
      temperature: 0,
      stream_options: {},
      messages: [{ role: 'user', content: 'Hello' }],
    });
  });

  test.each([
    ['Serve {{ name }} on {{plan}}: {{name}}.', '{"name":"Ada","plan":{"a":1}}', 'Serve Ada on {"a":1}: Ada.'],
    ['Serve {{name}}, {{constructor}}.', '{"name":""}', 'Serve (unknown), (unknown).'],
    ['Be brief.', '', 'Be brief.'],
    [null, '{"name":"Ada","age":7}', 'name: Ada\nage: 7'],
  ])('with instructions %j and values %j begins with %j', (instructions, variableValues, content) =>
    expect(requestOf(converse({ instructions }), saying('Hello', { variableValues })).body['messages']).toEqual([
      { role: 'system', content },
      { role: 'user', content: 'Hello' },
    ]),
  );
});

describe('the conversation that the client keeps', () => {
  const contents = (conversation: Conversation, message: string): unknown[] => {
    const { messages } = requestOf(conversation, saying(message)).body as { messages: { content: unknown }[] };
    return messages.map(({ content }) => content);
  };

  test('grows by each message and answer', () => {
    const conversation = converse();
    expect(contents(conversation, 'a')).toEqual(['a']);
    conversation.replied?.(replyOf('"A"'));
    expect(contents(conversation, 'b')).toEqual(['a', '"A"', 'b']);
    conversation.replied?.(replyOf(''));
    expect(contents(conversation, 'c')).toEqual(['a', '"A"', 'b', '', 'c']);
  });

  test('has the instructions of the latest values alone', () => {
    const conversation = converse({ instructions: 'Turn {{n}}' });
    conversation.request(saying('a', { variableValues: '{"n":1}' }));
    conversation.replied?.(replyOf('A'));
    const { messages } = requestOf(conversation, saying('b', { variableValues: '{"n":2}' })).body;
    expect(messages).toMatchObject([{ content: 'Turn 2' }, { content: 'a' }, { content: 'A' }, { content: 'b' }]);
  });

  test('forgets a turn that was not answered', () => {
    const conversation = converse();
    conversation.request(saying('a'));
    conversation.replied?.(replyOf('A'));
    conversation.request(saying('lost'));
    expect(contents(conversation, 'b')).toEqual(['a', 'A', 'b']);
  });

  test('keeps the part that the user had read when leaving, and forgets a turn of which nothing was read', () => {
    const conversation = converse();
    conversation.request(saying('a'));
    conversation.left?.('A, begun');
    conversation.request(saying('b'));
    conversation.left?.('');
    expect(contents(conversation, 'c')).toEqual(['a', 'A, begun', 'c']);
  });

  test('has the calls of a reply if their results follow', () => {
    const conversation = converse();
    conversation.request(saying('a'));
    conversation.replied?.(replyOf('', { toolCalls: [{ id: 'c1', name: 'find', arguments: '{"n":1}' }] }));
    const toolResults = [{ id: 'c1', name: 'find', content: 'found' }];
    expect(requestOf(conversation, saying('', { toolResults })).body['messages']).toEqual([
      { role: 'user', content: 'a' },
      { role: 'assistant', content: null, tool_calls: [call('c1', 'find', '{"n":1}')] },
      { role: 'tool', tool_call_id: 'c1', content: 'found' },
    ]);
    conversation.replied?.(replyOf('A'));
    expect(contents(conversation, 'b')).toEqual(['a', null, 'found', 'A', 'b']);
  });

  test('has only the text of a reply whose calls were not answered', () => {
    const conversation = converse();
    const toolCalls = [{ id: 'c1', name: 'find', arguments: '{}' }];
    conversation.request(saying('a'));
    conversation.replied?.(replyOf('Wait.', { toolCalls }));
    expect(requestOf(conversation, saying('b')).body['messages']).toEqual([
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'Wait.' },
      { role: 'user', content: 'b' },
    ]);
    conversation.replied?.(replyOf('', { toolCalls }));
    expect(contents(conversation, 'c')).toEqual(['a', 'Wait.', 'b', 'c']);
  });
});

describe('a non-streamed completion', () => {
  test('is a reply with its id, its usage and all of its data', () => {
    expect(converse().read(wholeReply(200, said('Hi')))).toEqual({
      outcome: 'ok',
      detail: '',
      reply: {
        text: 'Hi',
        id: 'chatcmpl-1',
        data: said('Hi'),
        toolCalls: undefined,
        usage: { inputTokens: 9, outputTokens: 12 },
        model: 'model-1',
        finish: 'complete',
      },
    });
  });

  test('may call tools without a text', () => {
    const message = { role: 'assistant', content: null, tool_calls: [call('c1', 'find', '{"n":1}')] };
    expect(converse().read(wholeReply(200, completion(message)))).toMatchObject({
      outcome: 'ok',
      reply: { text: '', toolCalls: [{ id: 'c1', name: 'find', arguments: '{"n":1}' }] },
    });
  });

  const error = (fields: object): object => ({ error: fields });
  test.each<[number, unknown, string, string]>([
    [200, said(null), 'ok', ''],
    [200, completion({ role: 'assistant', content: null, refusal: 'No.' }), 'ok', ''],
    [200, said(7), 'contract_broken', 'content is neither a text, a list of parts nor null'],
    [200, {}, 'contract_broken', 'choices[0].message is missing'],
    [200, { choices: [] }, 'contract_broken', 'choices[0].message is missing'],
    [200, { choices: [{ texts: 'x' }] }, 'contract_broken', 'choices[0].message is missing'],
    [200, completion({ content: null, tool_calls: [{ id: 'c1' }] }), 'contract_broken', 'tool_calls is not a list of calls with a name and arguments'],
    [200, [], 'contract_broken', 'the body is JSON, but not an object'],
    [200, 'data: {}\n\n', 'malformed', "status 200 whose body is not JSON: 'data: {}'"],
    [200, '', 'malformed', 'status 200 whose body is empty'],
    [200, error({ code: 502, message: 'x' }), 'server_error', 'an error in a successful response: x'],
    [201, said('Hi'), 'ok', ''],
    [201, {}, 'http_other', 'status 201'],
    [202, 'Accepted', 'http_other', 'status 202: Accepted'],
    [400, error({ type: 'invalid_request_error' }), 'bad_request', 'status 400, invalid_request_error'],
    [401, error({ type: 'invalid_request_error', code: 'invalid_api_key' }), 'unauthorized', 'status 401, invalid_api_key'],
    [403, 'no', 'forbidden', 'status 403: no'],
    [404, error({ message: 'Invalid URL' }), 'not_found', 'status 404: Invalid URL'],
    [404, error({ code: 'model_not_found' }), 'agent_not_found', 'status 404, model_not_found'],
    [422, error({}), 'http_other', 'status 422'],
    [429, error({ type: 'tokens', code: 'rate_limit_exceeded' }), 'rate_limited', 'status 429, rate_limit_exceeded'],
    [429, error({ type: 'insufficient_quota', code: 'insufficient_quota' }), 'forbidden', 'status 429, insufficient_quota, its quota or credit is used up'],
    [403, error({ code: 'billing_not_active' }), 'forbidden', 'status 403, billing_not_active, its quota or credit is used up'],
    [400, error({ code: 'billing_hard_limit_reached' }), 'forbidden', 'status 400, billing_hard_limit_reached, its quota or credit is used up'],
    [402, error({ message: 'Your credit balance is too low.' }), 'forbidden', 'status 402, its quota or credit is used up: Your credit balance is too low.'],
    [429, error({ code: 'sk-A1 of a customer' }), 'rate_limited', 'status 429'],
    [500, error({ type: 'server_error' }), 'server_error', 'status 500, server_error'],
    [500, error({ code: 'insufficient_quota' }), 'server_error', 'status 500, insufficient_quota'],
    [503, '<html>', 'server_error', 'status 503'],
  ])('of status %i and body %j is %s: %s', (status, body, outcome, detail) =>
    expect(converse().read(wholeReply(status, body))).toMatchObject({ outcome, detail }),
  ); // prettier-ignore

  test.each(['connection_lost', 'timed_out', 'aborted', 'malformed'] as const)('that failed is %s', (failure) =>
    expect(converse().read(wholeReply(0, '', { failure, detail: 'why' }))).toMatchObject({
      outcome: failure,
      detail: 'why',
    }),
  );

  test('that is not UTF-8 is malformed', () => {
    expect(converse().read(wholeReply(200, said('Hi'), { isUtf8: false })).outcome).toBe('malformed');
  });
});

describe('a streamed completion', () => {
  test('is a reply of the same shape as a non-streamed one', () => {
    const events = [chunk({ role: 'assistant', content: '' }), chunk({ content: 'Hi' }), chunk({ content: ' you' }), finished, usage, '[DONE]']; // prettier-ignore
    expect(readEvents(streamed(), events)).toEqual({
      pieces: ['other', 'content', 'content', 'other', 'other', 'other'],
      text: 'Hi you',
      verdict: {
        outcome: 'ok',
        detail: '',
        reply: {
          text: 'Hi you',
          id: 'chatcmpl-1',
          data: {
            ...said('Hi you'),
            choices: [{ index: 0, message: { role: 'assistant', content: 'Hi you' }, finish_reason: 'stop' }],
            usage: { prompt_tokens: 9, completion_tokens: 2 },
          },
          toolCalls: undefined,
          usage: { inputTokens: 9, outputTokens: 2 },
          model: 'model-1',
          finish: 'complete',
        },
      },
    });
  });

  test('without its [DONE] is a reply that reports it', () => {
    expect(readEvents(streamed(), [chunk({ content: 'Hi' }), finished]).verdict).toMatchObject({
      outcome: 'ok',
      reply: { text: 'Hi', lacksDone: true },
    });
  });

  test('has its tool calls assembled', () => {
    const calls = (...parts: object[]) => chunk({ tool_calls: parts });
    const events = [
      calls({ index: 0, id: 'c1', type: 'function', function: { name: 'find', arguments: '' } }),
      calls({ index: 0, function: { arguments: '{"n"' } }),
      calls({ index: 1, id: 'c2', type: 'function', function: { name: 'ask', arguments: '{}' } }),
      calls({ index: 0, function: { arguments: ':1}' } }),
      chunk({}, { finish_reason: 'tool_calls' }),
      '[DONE]',
    ];
    const { pieces, verdict } = readEvents(streamed(), events);
    expect(pieces).toEqual(['content', 'content', 'content', 'content', 'other', 'other']);
    expect(verdict.reply).toMatchObject({
      text: '',
      toolCalls: [
        { id: 'c1', name: 'find', arguments: '{"n":1}' },
        { id: 'c2', name: 'ask', arguments: '{}' },
      ],
    });
  });

  test.each([
    [{ reasoning_content: 'Hm' }, 'reasoning'],
    [{ reasoning: 'Hm' }, 'reasoning'],
    [{ reasoning: '', content: null }, 'other'],
    [{ reasoning: 'Hm', content: 'Hi' }, 'content'],
    [{ refusal: 'No' }, 'content'],
    [{ role: 'assistant' }, 'other'],
    [{}, 'other'],
  ])('with %j carries %s', (delta, piece) => expect(readEvents(streamed(), [chunk(delta)]).pieces).toEqual([piece]));

  test('contains only the text of its first choice', () => {
    const other = chunk({ content: 'Bye' }, { index: 1, finish_reason: 'stop' });
    const several = converse({ stream: true, messageBody: { n: 2 } });
    const { pieces, text, verdict } = readEvents(several, [chunk({ content: 'Hi' }), other]);
    expect({ pieces, text, outcome: verdict.outcome }).toEqual({
      pieces: ['content', 'other'],
      text: 'Hi',
      outcome: 'truncated',
    });
  });

  const hi = chunk({ content: 'Hi' });
  const failed = (fields: object): object => ({ error: fields });
  test.each<[string, WrittenEvent[], string]>([
    ['nothing but its end', [finished, '[DONE]'], 'ok'],
    ['an empty event', [hi, '', finished, '[DONE]'], 'ok'],
    ['a first chunk without an id or choices', [{ id: '', choices: [] }, hi, finished], 'ok'],
    ['an end with its last text', [chunk({ content: 'Hi' }, { finish_reason: 'length' }), '[DONE]'], 'ok'],
    ['an end without a delta', [hi, { id: 'chatcmpl-1', choices: [{ index: 0, finish_reason: 'stop' }] }], 'ok'],
    ['no event', [], 'truncated'],
    ['no end', [hi], 'truncated'],
    ['an event that is not JSON', [hi, '{"id":', finished], 'malformed'],
    ['an event that is a list', [hi, '[]', finished], 'contract_broken'],
    ['a choice that is a text', [{ choices: ['Hi'] }], 'contract_broken'],
    ['a delta that is a text', [{ choices: [{ index: 0, delta: 'Hi' }] }], 'contract_broken'],
    ['content that is a number', [chunk({ content: 7 }), finished], 'contract_broken'],
    ['tool calls that are not a list', [chunk({ tool_calls: {} }), finished], 'contract_broken'],
    ['a tool call that is a text', [chunk({ tool_calls: ['c1'] }), finished], 'contract_broken'],
    ['a tool call without a name', [chunk({ tool_calls: [{ index: 0, id: 'c1' }] }), finished], 'contract_broken'],
    ['an error', [hi, failed({ type: 'server_error' })], 'server_error'],
    ['an error of no kind', [hi, failed({ message: 'x' })], 'provider_error'],
    ['an error that is a text', [hi, { error: 'x' }], 'provider_error'],
    ['an error event', [hi, ['error', { message: 'x', type: 'rate_limit_error' }]], 'rate_limited'],
    ['an error by number', [hi, failed({ code: 429 })], 'rate_limited'],
    ['a rate limit', [failed({ type: 'tokens', code: 'rate_limit_exceeded' })], 'rate_limited'],
    ['a used-up quota', [failed({ code: 'insufficient_quota' })], 'forbidden'],
    ['an invalid request', [failed({ type: 'invalid_request_error' })], 'bad_request'],
    ['an invalid key', [failed({ type: 'invalid_request_error', code: 'invalid_api_key' })], 'unauthorized'],
    ['an authentication error', [failed({ type: 'authentication_error' })], 'unauthorized'],
    ['a missing permission', [failed({ type: 'permission_error' })], 'forbidden'],
    ['something not found', [failed({ type: 'not_found_error' })], 'not_found'],
    ['an unknown model', [failed({ type: 'invalid_request_error', code: 'model_not_found' })], 'agent_not_found'],
    ['an error, then more', [hi, failed({ type: 'server_error' }), finished, '[DONE]'], 'server_error'],
  ])('with %s: %j is %s', (_, events, outcome) => {
    const { verdict } = readEvents(streamed(), events);
    expect(verdict.outcome).toBe(outcome);
    expect(verdict.detail === '').toBe(outcome === 'ok');
  });

  test.each(['connection_lost', 'timed_out', 'abandoned', 'aborted'] as const)(
    'that ends as %s keeps the text received',
    (failure) => {
      const { text, verdict } = readEvents(streamed(), [hi], { failure });
      expect([text, verdict.outcome, verdict.detail]).toEqual(['Hi', failure, failure]);
    },
  );

  test('that is not UTF-8 is malformed', () => {
    expect(readEvents(streamed(), [hi, finished], { isUtf8: false }).verdict.outcome).toBe('malformed');
  });

  test.each<[number, unknown, string | undefined, string]>([
    [200, said('Hi'), undefined, 'contract_broken'],
    [200, failed({ type: 'rate_limit_error' }), undefined, 'rate_limited'],
    [200, '<html>', 'text/html', 'malformed'],
    [200, said('Hi'), 'text/plain', 'malformed'],
    [429, failed({ code: 'insufficient_quota' }), undefined, 'forbidden'],
    [503, 'busy', 'text/plain', 'server_error'],
  ])('that was requested, but is not streamed, of status %i: %j, %s is %s', (status, body, contentType, outcome) =>
    expect(streamed().read(wholeReply(status, body, { contentType })).outcome).toBe(outcome),
  );

  test('yields the same text however it is split', () =>
    expectAnySplit(streamed, {
      before: 0,
      eventsOf: (parts) => [...parts.map((content) => chunk({ content })), finished, '[DONE]'],
    }));
});

describe('a stream of several choices', () => {
  const part = (index: number, content?: string, finish: string | null = null): object => ({
    id: 'c',
    choices: [{ index, delta: content === undefined ? {} : { content }, finish_reason: finish }],
  });

  test('is the reply of the first, whenever the others end', () => {
    const events = [part(0, 'A'), part(1, 'B'), part(0, 'C'), part(0, undefined, 'stop'), part(1, 'D'), '[DONE]'];
    const { pieces, verdict } = readEvents(converse({ stream: true, messageBody: { n: 2 } }), events);
    expect(pieces).toEqual(['content', 'other', 'content', 'other', 'other', 'other']);
    expect(verdict).toMatchObject({ outcome: 'ok', reply: { text: 'AC' } });
  });

  test('is malformed if content follows [DONE]', () => {
    const events = [part(0, 'A'), '[DONE]', part(0, 'B'), part(0, undefined, 'stop'), '[DONE]'];
    expect(readEvents(streamed(), events).verdict).toMatchObject({
      outcome: 'contract_broken',
      detail: 'content was sent after [DONE]',
    });
  });
});
