import { isObject } from '../../base/is-object.ts';
import { jsonIn } from '../classify-whole.ts';
import { compileInstructions } from '../instructions.ts';
import { fixedFields, messageRoute } from '../model-api/message-route.ts';
import { KeptConversation, type KeptDialect } from '../model-api/kept-conversation.ts';
import { readStreamed, readWhole } from '../model-api/read-reply.ts';
import type { ChatApi, ChatProtocol, ProtocolTarget, ToolCall, ToolResult } from '../protocol.ts';
import { judgeMessage, MessageReader } from './read-message.ts';

const paths = { message: '/v1/messages' } as const;

/** Anthropic's Messages API: sessions are not created, and the client sends the whole conversation with every turn. */
export const anthropicMessages: ChatProtocol = {
  name: 'anthropic-messages',
  paths,
  base: { host: /^api\.anthropic\.com$/ },
  history: 'client',
  outputLimit: 'max_tokens',
  createsSessions: () => false,
  authorize: (apiKey) => ({ 'x-api-key': apiKey }),
  open: openApi,
  shortestReplies: (text) => ({
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 20, output_tokens: 14, total_tokens: 34 },
    },
  }),
};

const headers = { 'anthropic-version': '2023-06-01' };

/** The API requires a limit; a scenario may set another. */
const defaultFields = { max_tokens: 1024 };

function openApi(target: ProtocolTarget): ChatApi {
  const fixed = fixedFields(target, defaultFields);
  const instructions = 'system' in target.messageBody ? () => '' : compileInstructions(target.instructions);
  const dialect: KeptDialect = {
    route: messageRoute(target, { path: paths.message, headers, begin: () => new MessageReader() }),
    body: (messages, turnContent) => `${fixed}${systemField(instructions(turnContent))},"messages":[${messages}]}`,
    userMessage: (message) => `{"role":"user","content":${JSON.stringify(message)}}`,
    resultMessages,
    answerMessage,
    read: target.stream ? readStreamed : readWhole((message) => judgeMessage(message)),
  };
  return { creation: undefined, converse: (sessionId) => new KeptConversation(sessionId, dialect) };
}

const systemField = (system: string): string => (system === '' ? '' : `,"system":${JSON.stringify(system)}`);

const resultMessages = (results: readonly ToolResult[]): string =>
  JSON.stringify({ role: 'user', content: results.map(writeResult) });

const writeResult = ({ id, content }: ToolResult): object => ({ type: 'tool_result', tool_use_id: id, content });

/** Serializes a reply; '' for an empty one, because the API rejects empty content. */
function answerMessage(text: string, calls: readonly ToolCall[]): string {
  if (calls.length === 0) return text === '' ? '' : JSON.stringify({ role: 'assistant', content: text });
  const texts = text === '' ? [] : [{ type: 'text', text }];
  const thoughts = calls[0]?.signature;
  const content = [...texts, ...calls.map(writeCall)].map((block) => JSON.stringify(block));
  return `{"role":"assistant","content":[${[...(thoughts === undefined ? [] : [thoughts]), ...content].join(',')}]}`;
}

/** Serializes a tool call. Truncated arguments are not valid JSON; an empty object replaces them. */
function writeCall({ id, name, arguments: text }: ToolCall): object {
  const input = jsonIn(text);
  return { type: 'tool_use', id, name, input: isObject(input) ? input : {} };
}
