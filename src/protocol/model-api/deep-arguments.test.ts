import { expect, test } from 'vitest';
import { nested } from '../../../test/support/bombs.ts';
import { readEvents, talkBy, wholeReply, type WrittenEvent } from '../../../test/support/stream-events.ts';
import { aiSdk } from '../ai-sdk/ai-sdk.ts';
import { anthropicMessages } from '../anthropic-messages/anthropic-messages.ts';
import { bedrockConverse } from '../bedrock-converse/bedrock-converse.ts';
import { gemini } from '../gemini/gemini.ts';
import { langgraph } from '../langgraph/langgraph.ts';
import { openaiChat } from '../openai-chat/openai-chat.ts';
import type { ChatProtocol } from '../protocol.ts';

const deep = `{"a":${nested(10_000)}}`;
/** Returns a JSON text with the deep value in place of `"DEEP"`. */
const written = (value: object): string => JSON.stringify(value).replace('"DEEP"', () => deep);
const typed = (type: string, data: object): WrittenEvent => [type, written(data)];

const openaiCall = { id: 'c', type: 'function', function: { name: 'f', arguments: 'DEEP' } };
const geminiReply = {
  candidates: [{ content: { parts: [{ functionCall: { name: 'f', args: 'DEEP' } }] }, finishReason: 'STOP' }],
};
const langgraphState = {
  messages: [{ type: 'ai', id: 'm', content: '', tool_calls: [{ id: 'c', name: 'f', args: 'DEEP' }] }],
};
const toolUse = { type: 'tool_use', id: 'c', name: 'f', input: 'DEEP' };
const message = { id: 'm', type: 'message', role: 'assistant', content: [], usage: {} };

test.each<[string, ChatProtocol, object]>([
  ['openai-chat', openaiChat, { choices: [{ message: { content: null, tool_calls: [openaiCall] } }] }],
  ['anthropic-messages', anthropicMessages, { ...message, content: [toolUse], stop_reason: 'tool_use' }],
  [
    'anthropic-messages with reasoning',
    anthropicMessages,
    {
      ...message,
      content: [
        { type: 'thinking', thinking: 'DEEP' },
        { ...toolUse, input: {} },
      ],
    },
  ],
  ['gemini', gemini, geminiReply],
  [
    'bedrock-converse',
    bedrockConverse,
    {
      output: { message: { content: [{ toolUse: { toolUseId: 'c', name: 'f', input: 'DEEP' } }] } },
      stopReason: 'tool_use',
    },
  ],
  ['langgraph', langgraph, langgraphState],
])('a non-streamed reply of %s with arguments nested very deeply breaks the contract', (_, protocol, reply) => {
  const verdict = talkBy(protocol)
    .converse()
    .read(wholeReply(200, written(reply)));
  expect(verdict.outcome).toBe('contract_broken');
});

test.each<[string, ChatProtocol, WrittenEvent[]]>([
  [
    'openai-chat',
    openaiChat,
    [written({ choices: [{ delta: { tool_calls: [{ ...openaiCall, index: 0 }] }, finish_reason: 'tool_calls' }] })],
  ],
  [
    'anthropic-messages',
    anthropicMessages,
    [
      { type: 'message_start', message },
      written({ type: 'content_block_start', index: 0, content_block: toolUse }),
      { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
      { type: 'message_stop' },
    ],
  ],
  ['gemini', gemini, [written(geminiReply)]],
  [
    'ai-sdk',
    aiSdk,
    [
      { type: 'start', messageId: 'm' },
      written({ type: 'tool-input-available', toolCallId: 'c', toolName: 'f', input: 'DEEP' }),
      { type: 'finish' },
    ],
  ],
  [
    'bedrock-converse',
    bedrockConverse,
    [
      typed('messageStart', { role: 'assistant' }),
      typed('contentBlockStart', { contentBlockIndex: 0, start: { toolUse: { toolUseId: 'c', name: 'f' } } }),
      typed('contentBlockDelta', { contentBlockIndex: 0, delta: { toolUse: { input: deep } } }),
      typed('messageStop', { stopReason: 'tool_use' }),
    ],
  ],
  ['langgraph', langgraph, [typed('values', langgraphState)]],
])('a streamed reply of %s with arguments nested very deeply breaks the contract', (_, protocol, events) => {
  expect(readEvents(talkBy(protocol).streamed(), events).verdict.outcome).toBe('contract_broken');
});
