import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { Response } from 'openai/resources/responses/responses';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { describe, expect, onTestFinished, test } from 'vitest';
import { embeddedDefaults, type EmbeddedOptions } from '../../src/scenario/embedded.ts';
import { openService } from '../support/reference-client.ts';

const { agentId: model, apiKey } = embeddedDefaults;
const said = 'Repeat this tag: T7';
const reply = 'Tag: T7 Could you tell me your customerName, orderNumber?';

/** The official clients, for a service with these options. */
async function openClients(options: EmbeddedOptions = {}, key: string = apiKey) {
  const { baseUrl } = await openService(options);
  return {
    openai: new OpenAI({ apiKey: key, baseURL: `${baseUrl}/v1`, maxRetries: 0 }),
    anthropic: new Anthropic({ apiKey: key, baseURL: baseUrl, maxRetries: 0 }),
  };
}

const chat = (content: string) => ({ model, messages: [{ role: 'user' as const, content }] });
const message = (content: string) => ({ ...chat(content), max_tokens: 200 });

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('the openai client', () => {
  test('reads a completion, whole and streamed', async () => {
    const { openai } = await openClients();
    const whole = await openai.chat.completions.create(chat(said));
    expect(whole).toMatchObject({
      object: 'chat.completion',
      model,
      choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: reply } }],
      usage: { prompt_tokens: 4, completion_tokens: 9, total_tokens: 13 },
    });
    const streamed = openai.chat.completions.stream({ ...chat(said), stream_options: { include_usage: true } });
    const { id, choices, usage } = await streamed.finalChatCompletion();
    expect(id).toMatch(/^chatcmpl-/);
    expect(choices).toMatchObject([{ finish_reason: 'stop', message: { role: 'assistant', content: reply } }]);
    expect(usage).toEqual(whole.usage);
  });

  test('receives a tool call, streamed or not, and sends its result', async () => {
    const { openai } = await openClients();
    const parameters = { type: 'object', properties: { city: { type: 'string' } } };
    const tools = [{ type: 'function' as const, function: { name: 'weather', parameters } }];
    const asked = { ...chat('Call the tool weather with {"city": "San Salvador"}'), tools };
    const whole = (await openai.chat.completions.create(asked)).choices[0];
    const streamed = (await openai.chat.completions.stream(asked).finalChatCompletion()).choices[0];
    for (const choice of [whole, streamed])
      expect(choice).toMatchObject({
        finish_reason: 'tool_calls',
        message: {
          content: null,
          tool_calls: [{ function: { name: 'weather', arguments: '{"city": "San Salvador"}' } }],
        },
      });
    const call = whole?.message.tool_calls?.[0];
    const result = { role: 'tool' as const, tool_call_id: call?.id ?? '', content: 'sunny' };
    const called = { role: 'assistant' as const, content: null, tool_calls: whole?.message.tool_calls ?? [] };
    const { choices } = await openai.chat.completions.create({
      ...asked,
      messages: [...asked.messages, called, result],
    });
    expect(choices).toMatchObject([{ finish_reason: 'stop', message: { content: 'The tool gave: sunny' } }]);
  });

  test('reads a response, whole and streamed, and continues it', async () => {
    const { openai } = await openClients();
    const first = await openai.responses.create({ model, input: 'Remember this code: QX1' });
    expect(first).toMatchObject({ object: 'response', status: 'completed' });
    const events = openai.responses.stream({
      model,
      input: 'Which code did I tell you?',
      previous_response_id: first.id,
    });
    const { output_text: text, usage } = await events.finalResponse();
    expect(text).toMatch(/^The code you told me is QX1 /);
    expect(usage?.output_tokens).toBe(text.split(' ').length);
    const conversation = await openai.conversations.create();
    const told = await openai.responses.create({ model, conversation: conversation.id, input: said });
    expect(told.output_text).toBe(reply);
  });

  test('receives a tool call in a response, and sends its result', async () => {
    const { openai } = await openClients();
    const tools = [{ type: 'function' as const, name: 'weather', parameters: {}, strict: false }];
    const asked = { model, input: 'Call the tool weather with {"city":"Oslo"}', tools };
    const whole = await openai.responses.create(asked);
    const streamed = await openai.responses.stream(asked).finalResponse();
    for (const { output } of [whole, streamed])
      expect(output).toMatchObject([{ type: 'function_call', name: 'weather', arguments: '{"city":"Oslo"}' }]);
    const [call] = whole.output;
    const call_id = call?.type === 'function_call' ? call.call_id : '';
    const input = [{ type: 'function_call_output' as const, call_id, output: 'rain' }];
    const { output_text: text } = await openai.responses.create({ ...asked, input, previous_response_id: whole.id });
    expect(text).toBe('The tool gave: rain');
  });

  test.each([true, false])('continues responses over WebSocket, with store: %j', async (store) => {
    const { openai } = await openClients({ faults: [{ kind: 'rate_limited', every: 3, retryAfter: '2s' }] });
    const socket = new ResponsesWS(openai);
    onTestFinished(() => socket.close());
    const respond = (input: string, previous_response_id?: string) =>
      new Promise<Response>((resolve, reject) => {
        socket.on('response.completed', ({ response }) => resolve(response));
        socket.on('error', reject);
        socket.send({
          type: 'response.create',
          model,
          input,
          store,
          previous_response_id: previous_response_id ?? null,
        });
      });
    const first = await respond('Remember this code: QX1');
    const second = await respond('Which code did I tell you?', first.id);
    expect(second.output).toMatchObject([
      { type: 'message', content: [{ text: expect.stringContaining('QX1') as string }] },
    ]);
    await expect(respond('Hi', second.id)).rejects.toMatchObject({
      error: { type: 'error', status: 429, error: { type: 'requests', code: 'rate_limit_exceeded' } },
    });
  });

  test('lists the models', async () => {
    const { openai } = await openClients();
    expect((await collect(openai.models.list())).map(({ id }) => id)).toEqual([model]);
  });

  test('throws its own errors for rejected requests', async () => {
    const { openai } = await openClients();
    const stranger = await openClients({}, 'nobody');
    const busy = await openClients({ faults: [{ kind: 'rate_limited', retryAfter: '2s' }] });
    const broken = await openClients({ faults: [{ kind: 'server_error' }] });
    await expect(stranger.openai.chat.completions.create(chat('Hi'))).rejects.toThrow(OpenAI.AuthenticationError);
    await expect(openai.responses.create({ model: 'gpt-x', input: 'Hi' })).rejects.toThrow(OpenAI.NotFoundError);
    await expect(openai.chat.completions.create({ model, messages: [] })).rejects.toThrow(OpenAI.BadRequestError);
    await expect(busy.openai.responses.create({ model, input: 'Hi' })).rejects.toThrow(OpenAI.RateLimitError);
    await expect(broken.openai.chat.completions.create(chat('Hi'))).rejects.toThrow(OpenAI.InternalServerError);
    await expect(openai.chat.completions.create({ ...chat('Hi'), model: 'gpt-x' })).rejects.toMatchObject({
      code: 'model_not_found',
      type: 'invalid_request_error',
    });
  });

  test('throws an error that arrives in the middle of a stream, after the events before it', async () => {
    const { openai } = await openClients({ faults: [{ kind: 'stream_error', type: 'rate_limit', afterEvents: 2 }] });
    const texts: string[] = [];
    const read = async (): Promise<void> => {
      for await (const { choices } of await openai.chat.completions.create({ ...chat(said), stream: true }))
        texts.push(choices[0]?.delta.content ?? '');
    };
    await expect(read()).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
    expect(texts.join('')).toBe('Tag: T7');
    const response = await openai.responses.create({ model, input: said, stream: true });
    await expect(collect(response)).rejects.toThrow(OpenAI.APIError);
  });

  test('notices a connection that breaks', async () => {
    const { openai } = await openClients({ faults: [{ kind: 'stream_cut', afterEvents: 2 }] });
    await expect(openai.chat.completions.stream(chat(said)).finalChatCompletion()).rejects.toThrow();
  });
});

describe('the anthropic client', () => {
  test('reads a message, whole and streamed', async () => {
    const { anthropic } = await openClients();
    const whole = await anthropic.messages.create(message(said));
    const streamed = await anthropic.messages.stream(message(said)).finalMessage();
    for (const read of [whole, streamed])
      expect(read).toMatchObject({
        type: 'message',
        role: 'assistant',
        stop_reason: 'end_turn',
        content: [{ type: 'text', text: reply }],
        usage: { input_tokens: 4, output_tokens: 9 },
      });
    expect(whole.id).toMatch(/^msg_/);
  });

  test('reads the reasoning before the answer', async () => {
    const { anthropic } = await openClients({ stream: { reasoning: 3 } });
    const { content } = await anthropic.messages.stream(message(said)).finalMessage();
    expect(content).toMatchObject([
      { type: 'thinking', thinking: 'well well well' },
      { type: 'text', text: reply },
    ]);
  });

  test('receives a tool call, streamed or not, and sends its result', async () => {
    const { anthropic } = await openClients();
    const tools = [{ name: 'weather', input_schema: { type: 'object' as const } }];
    const asked = { ...message('Call the tool weather with {"city": "San Salvador"}'), tools };
    const whole = await anthropic.messages.create(asked);
    const streamed = await anthropic.messages.stream(asked).finalMessage();
    for (const { stop_reason, content } of [whole, streamed])
      expect([stop_reason, content]).toMatchObject([
        'tool_use',
        [{ type: 'tool_use', name: 'weather', input: { city: 'San Salvador' } }],
      ]);
    const [call] = whole.content;
    const result = {
      type: 'tool_result' as const,
      tool_use_id: call?.type === 'tool_use' ? call.id : '',
      content: 'sunny',
    };
    const { content } = await anthropic.messages.create({
      ...asked,
      messages: [...asked.messages, { role: 'assistant', content: whole.content }, { role: 'user', content: [result] }],
    });
    expect(content).toMatchObject([{ type: 'text', text: 'The tool gave: sunny' }]);
  });

  test('lists the models', async () => {
    const { anthropic } = await openClients();
    expect((await collect(anthropic.models.list())).map(({ id }) => id)).toEqual([model]);
  });

  test('throws its own errors for rejected requests', async () => {
    const { anthropic } = await openClients();
    const stranger = await openClients({}, 'nobody');
    const busy = await openClients({ faults: [{ kind: 'rate_limited' }] });
    const broken = await openClients({ faults: [{ kind: 'server_error', status: 529 }] });
    await expect(stranger.anthropic.messages.create(message('Hi'))).rejects.toThrow(Anthropic.AuthenticationError);
    await expect(anthropic.messages.create({ ...message('Hi'), model: 'x' })).rejects.toThrow(Anthropic.NotFoundError);
    await expect(anthropic.messages.create({ ...message('Hi'), messages: [] })).rejects.toThrow(
      Anthropic.BadRequestError,
    );
    await expect(busy.anthropic.messages.create(message('Hi'))).rejects.toThrow(Anthropic.RateLimitError);
    await expect(broken.anthropic.messages.create(message('Hi'))).rejects.toThrow(Anthropic.InternalServerError);
  });

  test('throws an error that arrives in the middle of a stream, after the events before it', async () => {
    const { anthropic } = await openClients({ faults: [{ kind: 'stream_error', type: 'overloaded', afterEvents: 2 }] });
    const stream = anthropic.messages.stream(message(said));
    const texts: string[] = [];
    stream.on('text', (text) => texts.push(text));
    await expect(stream.finalMessage()).rejects.toThrow(/overloaded_error/);
    expect(texts).toEqual(['Tag:', ' T7']);
  });
});
