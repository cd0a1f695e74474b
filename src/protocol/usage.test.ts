import { describe, expect, test } from 'vitest';
import { readEvents, talkBy, wholeReply, type WrittenEvent } from '../../test/support/stream-events.ts';
import { defineProtocol } from '../scenario/define-protocol.ts';
import { readScenario } from '../scenario/read-scenario.ts';
import { aiSdk } from './ai-sdk/ai-sdk.ts';
import { anthropicMessages } from './anthropic-messages/anthropic-messages.ts';
import { bedrockConverse } from './bedrock-converse/bedrock-converse.ts';
import { gemini } from './gemini/gemini.ts';
import { openaiChat } from './openai-chat/openai-chat.ts';
import { openaiResponses } from './openai-responses/openai-responses.ts';
import type { ChatProtocol, Usage, Verdict } from './protocol.ts';
import { latestUsage, tokenCount } from './usage.ts';

const none: Usage = {
  inputTokens: undefined,
  outputTokens: undefined,
  cachedInputTokens: undefined,
  cacheWriteTokens: undefined,
  cacheWrite1hTokens: undefined,
  reasoningTokens: undefined,
};

const completion = (usage: unknown): object => ({
  id: 'c1',
  model: 'model-1-2026',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage,
});
const chunk = (delta: object, rest: object = {}, finish: string | null = null): object => ({
  id: 'c1',
  model: 'model-1-2026',
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...rest,
});
const tail = (usage: unknown): object => ({ id: 'c1', model: 'model-1-2026', choices: [], usage });
const response = (usage: unknown, status = 'completed'): object => ({
  id: 'r1',
  model: 'model-1-2026',
  status,
  output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }],
  usage,
});
const message = (usage: unknown, content: unknown = [{ type: 'text', text: 'Hi' }]): object => ({
  id: 'm1',
  model: 'model-1-2026',
  content,
  usage,
});
const started = (usage: unknown): WrittenEvent => [
  'message_start',
  { type: 'message_start', message: message(usage, []) },
];
const said: WrittenEvent[] = [
  ['', { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } }],
  ['', { type: 'content_block_stop', index: 0 }],
];
const delta = (usage: unknown): WrittenEvent => [
  '',
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
];
const stop: WrittenEvent = ['', { type: 'message_stop' }];

const whole = (protocol: ChatProtocol, body: object): Verdict =>
  talkBy(protocol).converse().read(wholeReply(200, body));
const streamed = (protocol: ChatProtocol, events: readonly WrittenEvent[]): Verdict =>
  readEvents(talkBy(protocol).streamed(), events).verdict;
const cut = (protocol: ChatProtocol, events: readonly WrittenEvent[]): Verdict =>
  readEvents(talkBy(protocol).streamed(), events, { failure: 'connection_lost' }).verdict;

/** Bodies from the vendors' documentation, and the usage that they represent. */
const replies: readonly [name: string, verdict: () => Verdict, usage: Partial<Usage>][] = [
  [
    'a chat completion of OpenAI: details are parts of input and output',
    () =>
      whole(
        openaiChat,
        completion({
          prompt_tokens: 2006,
          completion_tokens: 300,
          total_tokens: 2306,
          prompt_tokens_details: { cached_tokens: 1920, cache_write_tokens: 40 },
          completion_tokens_details: { reasoning_tokens: 256 },
        }),
      ),
    { inputTokens: 2006, outputTokens: 300, cachedInputTokens: 1920, cacheWriteTokens: 40, reasoningTokens: 256 },
  ],
  [
    'a chat completion without details: absent parts are not 0',
    () => whole(openaiChat, completion({ prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 })),
    { inputTokens: 9, outputTokens: 12 },
  ],
  [
    'a chat completion with details that are null, and counts that are none',
    () =>
      whole(
        openaiChat,
        completion({
          prompt_tokens: 9,
          completion_tokens: -1,
          prompt_tokens_details: null,
          completion_tokens_details: { reasoning_tokens: '4' },
        }),
      ),
    { inputTokens: 9 },
  ],
  [
    'a completion of xAI: its total counts the reasoning besides the completion',
    () =>
      whole(
        openaiChat,
        completion({
          prompt_tokens: 32,
          completion_tokens: 9,
          total_tokens: 135,
          prompt_tokens_details: { cached_tokens: 8 },
          completion_tokens_details: { reasoning_tokens: 94 },
        }),
      ),
    { inputTokens: 32, outputTokens: 103, cachedInputTokens: 8, reasoningTokens: 94 },
  ],
  [
    'a streamed completion: the usage of the last chunk',
    () =>
      streamed(openaiChat, [
        chunk({ content: 'Hi' }),
        chunk({}, {}, 'stop'),
        tail({ prompt_tokens: 9, completion_tokens: 2 }),
        '[DONE]',
      ]),
    { inputTokens: 9, outputTokens: 2 },
  ],
  [
    'a streamed completion with the usage so far in every chunk: never added',
    () =>
      streamed(openaiChat, [
        chunk({ content: 'H' }, { usage: { prompt_tokens: 9, completion_tokens: 1 } }),
        chunk({ content: 'i' }, { usage: { prompt_tokens: 9, completion_tokens: 2 } }),
        chunk({}, { usage: { prompt_tokens: 9, completion_tokens: 3 } }, 'stop'),
        '[DONE]',
      ]),
    { inputTokens: 9, outputTokens: 3 },
  ],
  [
    'a response of OpenAI',
    () =>
      whole(
        openaiResponses,
        response({
          input_tokens: 125,
          input_tokens_details: { cached_tokens: 98, cache_write_tokens: 7 },
          output_tokens: 48,
          output_tokens_details: { reasoning_tokens: 40 },
          total_tokens: 173,
        }),
      ),
    { inputTokens: 125, outputTokens: 48, cachedInputTokens: 98, cacheWriteTokens: 7, reasoningTokens: 40 },
  ],
  [
    'a streamed response: the usage of its end',
    () =>
      streamed(openaiResponses, [
        ['', { type: 'response.created', sequence_number: 0, response: response(null, 'in_progress') }],
        ['', { type: 'response.output_text.delta', sequence_number: 1, delta: 'Hi' }],
        [
          '',
          { type: 'response.completed', sequence_number: 2, response: response({ input_tokens: 5, output_tokens: 6 }) },
        ],
      ]),
    { inputTokens: 5, outputTokens: 6 },
  ],
  [
    'a message of Anthropic: cached and stored tokens are added to the input',
    () =>
      whole(
        anthropicMessages,
        message({
          input_tokens: 21,
          cache_read_input_tokens: 188_086,
          cache_creation_input_tokens: 456,
          cache_creation: { ephemeral_5m_input_tokens: 356, ephemeral_1h_input_tokens: 100 },
          output_tokens: 393,
        }),
      ),
    {
      inputTokens: 188_563,
      outputTokens: 393,
      cachedInputTokens: 188_086,
      cacheWriteTokens: 456,
      cacheWrite1hTokens: 100,
    },
  ],
  [
    'a streamed message: message_delta is cumulative, and its nulls report nothing',
    () =>
      streamed(anthropicMessages, [
        started({ input_tokens: 25, cache_read_input_tokens: 100, cache_creation_input_tokens: 0, output_tokens: 1 }),
        ...said,
        delta({ output_tokens: 8, cache_read_input_tokens: null }),
        delta({ output_tokens: 15, input_tokens: 30 }),
        stop,
      ]),
    { inputTokens: 130, outputTokens: 15, cachedInputTokens: 100, cacheWriteTokens: 0 },
  ],
  [
    'a streamed completion that ends with zeros after the real usage',
    () =>
      streamed(openaiChat, [
        chunk({ content: 'Hi' }, { usage: { prompt_tokens: 9, completion_tokens: 2 } }, 'stop'),
        tail({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }),
        '[DONE]',
      ]),
    { inputTokens: 9, outputTokens: 2 },
  ],
  [
    'a streamed completion that begins with zeros',
    () =>
      streamed(openaiChat, [
        chunk({ content: 'Hi' }, { usage: { prompt_tokens: 0, completion_tokens: 0 } }, 'stop'),
        tail({ prompt_tokens: 9, completion_tokens: 0 }),
        '[DONE]',
      ]),
    { inputTokens: 9, outputTokens: 0 },
  ],
  [
    'a streamed message that ends with zeros after the real usage',
    () =>
      streamed(anthropicMessages, [
        started({ input_tokens: 25, output_tokens: 1 }),
        ...said,
        delta({ output_tokens: 15 }),
        delta({ input_tokens: 0, output_tokens: 0 }),
        stop,
      ]),
    { inputTokens: 25, outputTokens: 15 },
  ],
];

describe('the usage of', () => {
  test.each(replies)('%s', (_, verdict, usage) => {
    const { reply, spent } = verdict();
    expect(reply?.usage).toEqual({ ...none, ...usage });
    expect([reply?.model, spent]).toEqual(['model-1-2026', undefined]);
  });
});

describe('a stream that was cut has reported', () => {
  test.each([
    ['nothing', openaiChat, [chunk({ content: 'Hi' })], undefined],
    [
      'a lower bound before the end of its choice',
      openaiChat,
      [chunk({ content: 'H' }, { usage: { prompt_tokens: 9, completion_tokens: 1 } })],
      { usage: { ...none, inputTokens: 9, outputTokens: 1 }, model: 'model-1-2026', isFinal: false },
    ],
    [
      'its usage after that',
      openaiChat,
      [chunk({ content: 'Hi' }), chunk({}, {}, 'stop'), tail({ prompt_tokens: 9, completion_tokens: 2 })],
      { usage: { ...none, inputTokens: 9, outputTokens: 2 }, model: 'model-1-2026', isFinal: true },
    ],
    [
      'a lower bound in message_start',
      anthropicMessages,
      [started({ input_tokens: 25, cache_read_input_tokens: 5, output_tokens: 1 }), ...said],
      {
        usage: { ...none, inputTokens: 30, outputTokens: 1, cachedInputTokens: 5 },
        model: 'model-1-2026',
        isFinal: false,
      },
    ],
    [
      'its usage in message_delta',
      anthropicMessages,
      [started({ input_tokens: 25, output_tokens: 1 }), ...said, delta({ output_tokens: 15 })],
      { usage: { ...none, inputTokens: 25, outputTokens: 15 }, model: 'model-1-2026', isFinal: true },
    ],
    [
      'nothing before the end of a response',
      openaiResponses,
      [['', { type: 'response.created', sequence_number: 0, response: response(null, 'in_progress') }]],
      undefined,
    ],
  ] as const)('%s', (_, protocol, events, spent) => {
    expect(cut(protocol, events)).toEqual({
      outcome: 'connection_lost',
      detail: 'connection_lost',
      reply: undefined,
      ...(spent === undefined ? {} : { spent }),
    });
  });
});

test.each<[string, ChatProtocol, WrittenEvent[]]>([
  [
    'gemini',
    gemini,
    [
      { candidates: [{ content: { parts: [{ text: 'Hi' }] } }], usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 2 } },
      { candidates: [{ content: { parts: [] }, finishReason: 'STOP' }], usageMetadata: { promptTokenCount: 0, candidatesTokenCount: 0 } },
    ],
  ],
  [
    'bedrock-converse',
    bedrockConverse,
    [
      ['messageStart', { role: 'assistant' }],
      ['contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Hi' } }],
      ['contentBlockStop', { contentBlockIndex: 0 }],
      ['messageStop', { stopReason: 'end_turn' }],
      ['metadata', { usage: { inputTokens: 9, outputTokens: 2 } }],
      ['metadata', { usage: { inputTokens: 0, outputTokens: 0 } }],
    ],
  ],
  [
    'ai-sdk',
    aiSdk,
    [
      { type: 'start', messageId: 'm', messageMetadata: { usage: { inputTokens: 9, outputTokens: 2 } } },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'Hi' },
      { type: 'text-end', id: 't' },
      { type: 'finish', finishReason: 'stop', messageMetadata: { usage: { inputTokens: 0, outputTokens: 0 } } },
      '[DONE]',
    ],
  ],
])('zeros at the end of a stream of %s do not replace real figures', (_, protocol, events) => {
  expect(streamed(protocol, events).reply?.usage).toMatchObject({ inputTokens: 9, outputTokens: 2 });
}); // prettier-ignore

describe('a definition', () => {
  const defined = (usage: unknown, rest: object = {}) => {
    const protocol = defineProtocol({
      message: { path: '/chat', body: () => ({}) },
      reply: { text: 'text', usage, ...rest },
    } as never);
    const read = readScenario({
      name: 'a',
      messages: ['a'],
      sessions: 1,
      target: { baseUrl: 'http://127.0.0.1:9', protocol },
    });
    if ('problems' in read) throw new Error(JSON.stringify(read.problems));
    return read.scenario.target.protocol;
  };

  test.each([
    [
      'gemini',
      {
        usageMetadata: {
          promptTokenCount: 100,
          cachedContentTokenCount: 60,
          toolUsePromptTokenCount: 5,
          candidatesTokenCount: 20,
          thoughtsTokenCount: 30,
        },
      },
      { inputTokens: 105, outputTokens: 50, cachedInputTokens: 60, reasoningTokens: 30 },
    ],
    [
      'gemini',
      { usageMetadata: { promptTokenCount: 100, thoughtsTokenCount: 30 } },
      { inputTokens: 100, outputTokens: 30, reasoningTokens: 30 },
    ],
    [
      'bedrock',
      {
        usage: {
          inputTokens: 10,
          outputTokens: 4,
          totalTokens: 74,
          cacheReadInputTokens: 40,
          cacheWriteInputTokens: 20,
          cacheDetails: [
            { ttl: '1h', inputTokens: 15 },
            { ttl: '5m', inputTokens: 5 },
          ],
        },
      },
      { inputTokens: 70, outputTokens: 4, cachedInputTokens: 40, cacheWriteTokens: 20, cacheWrite1hTokens: 15 },
    ],
    ['openai', { usage: { prompt_tokens: 3, completion_tokens: 4 } }, { inputTokens: 3, outputTokens: 4 }],
    [
      'anthropic',
      { usage: { input_tokens: 3, cache_read_input_tokens: 2, output_tokens: 4 } },
      { inputTokens: 5, cachedInputTokens: 2, outputTokens: 4 },
    ],
    [
      { inputTokens: 'u.in', outputTokens: 'u.out', cachedInputTokens: 'u.hit', reasoningTokens: 'u.thought' },
      { u: { in: 8, out: 9, hit: 3, thought: 1 } },
      { inputTokens: 8, outputTokens: 9, cachedInputTokens: 3, reasoningTokens: 1 },
    ],
    [
      ({ n }: { n: number }) => ({ inputTokens: n, cacheWriteTokens: 2, cacheWrite1hTokens: 1 }),
      { n: 8 },
      { inputTokens: 8, cacheWriteTokens: 2, cacheWrite1hTokens: 1 },
    ],
  ])('of usage %j reads all parts', (usage, body, expected) => {
    const { reply } = whole(defined(usage), { text: 'Hi', model: 'model-2', ...body });
    expect([reply?.usage, reply?.model]).toEqual([{ ...none, ...expected }, 'model-2']);
  });

  test('reads the model at its path, and ignores a model that is not a text', () => {
    expect(whole(defined('openai', { model: 'm.name' }), { text: 'Hi', m: { name: 'x' } }).reply?.model).toBe('x');
    expect(whole(defined('openai'), { text: 'Hi', model: 5 }).reply?.model).toBeUndefined();
  });
});

test.each([
  ['openia', "unknown form 'openia': did you mean 'openai'?"],
  [{ inputToken: 'a' }, "unknown key 'inputToken': did you mean 'inputTokens'?"],
])('usage %j in a definition is an error', (usage, problem) => {
  const protocol = { message: { path: '/' }, reply: { text: 'text', usage } };
  const read = readScenario({ name: 'a', messages: ['a'], sessions: 1, target: { protocol } });
  expect(JSON.stringify(read)).toContain(problem.replaceAll('"', '\\"'));
});

test.each([1e15, 1_000_000_001, -1, 1.5, '7', null])('%j is not a number of tokens', (value) => {
  expect(tokenCount(value)).toBeUndefined();
});

test('zeros at the end of a stream of a definition do not replace real figures', () => {
  const figures = { ...none, inputTokens: 9, outputTokens: 2 };
  expect(latestUsage(figures, { ...none, inputTokens: 0, outputTokens: 0 })).toEqual(figures);
  expect(latestUsage({ ...none, inputTokens: 0 }, { ...none, outputTokens: 0 })).toEqual({
    ...none,
    inputTokens: 0,
    outputTokens: 0,
  });
});
