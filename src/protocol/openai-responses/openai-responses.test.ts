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
import { openaiResponses } from './openai-responses.ts';

const { open, converse, streamed } = talkBy(openaiResponses);

const response = (output: unknown, rest: object = {}): object => ({
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  error: null,
  model: 'model-1',
  output,
  usage: { input_tokens: 9, output_tokens: 12, total_tokens: 21 },
  ...rest,
});
const said = (...content: unknown[]): object => ({ type: 'message', role: 'assistant', content });
const text = (words: unknown): object => ({ type: 'output_text', text: words, annotations: [] });
const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'find', arguments: '{"n":1}' };

/** Events with their numbers, from 0. */
const numbered = (events: readonly object[], from = 0): WrittenEvent[] =>
  events.map((event, index) => ({ ...event, sequence_number: from + index }));
const created = { type: 'response.created', response: response([], { status: 'in_progress' }) };
const delta = (words: unknown, type = 'output_text'): object => ({ type: `response.${type}.delta`, delta: words });
const completed = { type: 'response.completed', response: response([said(text('Hi'))]) };
const failed = (error: object | null): object => ({
  type: 'response.failed',
  response: response([], { status: 'failed', error }),
});

describe('a request for a response', () => {
  test('names the model, and has a header for the key', () => {
    expect(requestOf(converse(), saying('Hello'))).toEqual({
      path: '/v1/responses',
      body: { model: 'model-1', input: 'Hello' },
    });
    expect(openaiResponses.authorize('k')).toEqual({ Authorization: 'Bearer k' });
  });

  test("has the instructions of its turn, or of the scenario's fields", () => {
    const variableValues = '{"name":"Ada"}';
    const instructed = converse({ instructions: 'Serve {{name}}.' });
    expect(requestOf(instructed, saying('Hello', { variableValues })).body['instructions']).toBe('Serve Ada.');
    const own = converse({ messageBody: { instructions: 'Be brief.', input: 'x', previous_response_id: 'x' } });
    expect(requestOf(own, saying('Hello', { variableValues })).body).toEqual({
      model: 'model-1',
      instructions: 'Be brief.',
      input: 'Hello',
    });
  });

  test('asks for a stream', () => {
    const { route, body } = streamed().request(saying('Hello'));
    expect(JSON.parse(body)).toEqual({ model: 'model-1', stream: true, input: 'Hello' });
    expect(route.headers['Accept']).toBe('text/event-stream');
  });

  test('names the response before it, if that ended well', () => {
    const conversation = converse();
    conversation.request(saying('a'));
    conversation.replied?.(replyOf('A', { id: 'resp_1' }));
    conversation.request(saying('lost'));
    expect(requestOf(conversation, saying('b')).body).toEqual({
      model: 'model-1',
      previous_response_id: 'resp_1',
      input: 'b',
    });
  });

  test('has tool results instead of a message', () => {
    const toolResults = [{ id: 'call_1', name: 'find', content: 'found' }];
    expect(requestOf(converse(), saying('', { toolResults })).body['input']).toEqual([
      { type: 'function_call_output', call_id: 'call_1', output: 'found' },
    ]);
  });
});

describe('a conversation that is created', () => {
  const api = open({ conversation: 'conversation', baseUrl: 'https://api.example.com/v1' });

  test('is created first', () => {
    expect(api.creation?.request).toMatchObject({ route: { operation: 'create', path: '/conversations' }, body: '{}' });
    expect(api.creation?.read(wholeReply(200, { id: 'conv_1', object: 'conversation' }))).toMatchObject({
      outcome: 'ok',
      reply: { id: 'conv_1' },
    });
    expect(open().creation).toBeUndefined();
  });

  test.each<[number, unknown, string]>([
    [201, { id: 'conv_1' }, 'ok'],
    [200, { object: 'conversation' }, 'contract_broken'],
    [401, { error: { code: 'invalid_api_key' } }, 'unauthorized'],
    [429, { error: { code: 'insufficient_quota' } }, 'forbidden'],
    [503, '', 'server_error'],
  ])('by a reply of status %i and body %j: %s', (status, body, outcome) =>
    expect(api.creation?.read(wholeReply(status, body)).outcome).toBe(outcome),
  );

  test('is named in every request, instead of the response before', () => {
    const conversation = api.converse('conv_1');
    conversation.request(saying('a'));
    conversation.replied?.(replyOf('A', { id: 'resp_1' }));
    expect(requestOf(conversation, saying('b')).body).toEqual({ model: 'model-1', conversation: 'conv_1', input: 'b' });
  });
});

describe('a non-streamed response', () => {
  test('is a reply with its id, its data, its calls and its usage', () => {
    const reasoning = { type: 'reasoning', summary: [] };
    const body = response([reasoning, said(text('Hi'), text(' you')), call]);
    expect(converse().read(wholeReply(200, body)).reply).toEqual({
      text: 'Hi you',
      id: 'resp_1',
      data: body,
      toolCalls: [{ id: 'call_1', name: 'find', arguments: '{"n":1}' }],
      usage: { inputTokens: 9, outputTokens: 12 },
      model: 'model-1',
      finish: 'tool',
    });
  });

  test.each<[number, unknown, string]>([
    [200, response([]), 'ok'],
    [200, response([call]), 'ok'],
    [200, response([said({ type: 'refusal', refusal: 'No.' })], { status: 'incomplete' }), 'ok'],
    [200, response([], { status: 'queued' }), 'contract_broken'],
    [200, response(undefined), 'contract_broken'],
    [200, response([7]), 'contract_broken'],
    [200, response([{ type: 'message', content: 7 }]), 'contract_broken'],
    [200, response([said(text(7))]), 'contract_broken'],
    [200, response([{ ...call, name: undefined }]), 'contract_broken'],
    [200, response([], { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'x' } }), 'rate_limited'],
    [200, 'Hi', 'malformed'],
    [400, { error: { type: 'invalid_request_error', code: 'previous_response_not_found' } }, 'bad_request'],
    [404, { error: { code: 'model_not_found' } }, 'agent_not_found'],
    [429, { error: { code: 'insufficient_quota' } }, 'forbidden'],
    [500, { error: { type: 'server_error' } }, 'server_error'],
  ])('of status %i and body %j is %s', (status, body, outcome) =>
    expect(converse().read(wholeReply(status, body)).outcome).toBe(outcome),
  );
});

describe('a streamed response', () => {
  test('is a reply of the same shape as a non-streamed one', () => {
    const item = { type: 'response.output_item.added', item: said() };
    const part = { type: 'response.content_part.added', part: text('') };
    const done = [
      { type: 'response.output_text.done', text: 'Hi' },
      { type: 'response.content_part.done', part: text('Hi') },
      { type: 'response.output_item.done', item: said(text('Hi')) },
    ];
    const events = numbered([created, item, part, delta('H'), delta(''), delta('i'), ...done, completed]).map(
      (event) => [(event as { type: string }).type, event],
    );
    expect(readEvents(streamed(), events)).toEqual({
      pieces: [...['other', 'other', 'other', 'content', 'other', 'content'], ...['other', 'other', 'other', 'other']],
      text: 'Hi',
      verdict: {
        outcome: 'ok',
        detail: '',
        reply: {
          text: 'Hi',
          id: 'resp_1',
          data: response([said(text('Hi'))]),
          toolCalls: undefined,
          usage: { inputTokens: 9, outputTokens: 12 },
          model: 'model-1',
          finish: 'complete',
        },
      },
    });
  });

  test.each([
    ['output_text', 'content', 'x'],
    ['refusal', 'content', 'x'],
    ['function_call_arguments', 'content', ''],
    ['reasoning_text', 'reasoning', ''],
    ['reasoning_summary_text', 'reasoning', ''],
    ['audio', 'other', ''],
  ])('with %s carries %s and the text %j', (type, piece, words) =>
    expect(readEvents(streamed(), [delta('x', type)])).toMatchObject({ pieces: [piece], text: words }),
  );

  test('has the tool calls of its end', () => {
    const events = numbered([
      created,
      delta('{}', 'function_call_arguments'),
      { ...completed, response: response([call]) },
    ]);
    expect(readEvents(streamed(), events).verdict.reply).toMatchObject({
      text: '',
      toolCalls: [{ id: 'call_1', name: 'find', arguments: '{"n":1}' }],
    });
  });

  const many = ['a', 'b', 'c', 'd'].map((words) => delta(words));
  const cut = { type: 'response.incomplete', response: response([], { status: 'incomplete' }) };
  test.each<[string, WrittenEvent[], string]>([
    ['numbers from 1', numbered([created, delta('Hi'), completed], 1), 'ok'],
    ['no numbers', [created, delta('Hi'), completed], 'ok'],
    ['a limit reached', numbered([created, delta('Hi'), cut]), 'ok'],
    ['no content', numbered([created, completed]), 'ok'],
    ['a [DONE]', [...numbered([created, completed]), '[DONE]'], 'ok'],
    ['an event of a new kind', numbered([created, { type: 'response.news' }, completed]), 'ok'],
    ['no event', [], 'truncated'],
    ['no end', numbered([created, delta('Hi')]), 'truncated'],
    ['numbers from 2', numbered([created, completed], 2), 'contract_broken'],
    ['a gap, after many', [...numbered([created, ...many]), ...numbered([...many, completed], 6)], 'contract_broken'],
    ['a number twice, after many', [...numbered([created, ...many]), ...numbered([...many, completed], 4)], 'contract_broken'],
    ['many', numbered([created, ...many, ...many, completed]), 'ok'],
    ['a gap', [...numbered([created, delta('Hi')]), ...numbered([completed], 3)], 'contract_broken'],
    ['a number twice', [...numbered([created, delta('Hi')]), ...numbered([completed], 1)], 'contract_broken'],
    ['a step back', [...numbered([created, delta('Hi')]), ...numbered([completed], 0)], 'contract_broken'],
    ['an event that is not JSON', ['{"type":'], 'malformed'],
    ['a delta that is not a text', [delta(7)], 'contract_broken'],
    ['content after its end', numbered([created, completed, delta('Hi')]), 'ok'],
    ['a failure', numbered([created, failed({ code: 'server_error', message: 'x' })]), 'server_error'],
    ['a failure without an error', numbered([created, failed(null)]), 'provider_error'],
    ['a rate limit', numbered([created, failed({ code: 'rate_limit_exceeded' })]), 'rate_limited'],
    ['an invalid prompt', numbered([created, failed({ code: 'invalid_prompt' })]), 'bad_request'],
    ['a failure after a gap in numbers', [...numbered([created]), ...numbered([failed({ code: 'rate_limit_exceeded' })], 3)], 'rate_limited'],
    ['a failure whose number is none', [...numbered([created]), { ...failed({ code: 'server_error' }), sequence_number: '1' }], 'server_error'],
    ['an error event after a gap in numbers', [...numbered([created]), ...numbered([{ type: 'error', code: 'rate_limit_exceeded' }], 3)], 'rate_limited'],
    ['a gap before a failure', [...numbered([created]), ...numbered([delta('Hi'), failed(null)], 3)], 'contract_broken'],
    ['a used-up quota', numbered([created, failed({ code: 'insufficient_quota' })]), 'forbidden'],
    ['an error event', [['error', { type: 'error', code: 'rate_limit_exceeded', message: 'x' }]], 'rate_limited'],
    ['an error event with an error in it', [['error', { type: 'error', error: { type: 'invalid_request_error' } }]], 'bad_request'],
  ])('with %s: %j is %s', (_, events, outcome) =>
    expect(readEvents(streamed(), events).verdict.outcome).toBe(outcome),
  ); // prettier-ignore

  test('that breaks off keeps the text received', () => {
    const { text: words, verdict } = readEvents(streamed(), [delta('Hi')], { failure: 'timed_out' });
    expect([words, verdict.outcome]).toEqual(['Hi', 'timed_out']);
  });

  test('that was requested but is not streamed is malformed', () => {
    expect(streamed().read(wholeReply(200, response([]))).outcome).toBe('contract_broken');
  });

  test('yields the same text however it is split', () =>
    expectAnySplit(streamed, {
      before: 1,
      eventsOf: (parts) =>
        numbered([
          created,
          ...parts.map((part) => delta(part)),
          { ...completed, response: response([said(text(parts.join('')))]) },
        ]),
    }));
});
