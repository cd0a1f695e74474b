import type { ChatApi, ChatProtocol, ProtocolTarget, Route, ToolCall, ToolResult } from '../protocol.ts';
import { compileInstructions } from '../instructions.ts';
import { fixedFields, messageRoute, versionedDialect } from '../model-api/message-route.ts';
import { KeptConversation, type KeptDialect } from '../model-api/kept-conversation.ts';
import { readStreamed, readWhole } from '../model-api/read-reply.ts';
import { ChunkReader, judgeCompletion } from './read-completion.ts';

const paths = { message: '/v1/chat/completions', mayLackVersion: true } as const;

/** Chat completions: sessions are not created, and the client sends the whole conversation with every turn. */
export const openaiChat: ChatProtocol = {
  name: 'openai-chat',
  paths,
  // The dialect of OpenAI that other vendors offer next to their own.
  base: { end: versionedDialect },
  history: 'client',
  outputLimit: 'max_tokens',
  createsSessions: () => false,
  authorize: (apiKey) => ({ Authorization: `Bearer ${apiKey}` }),
  open: (target) => openCompletions(target, messageRoute(target, { path: paths.message, begin: beginChunks(target) })),
  shortestReplies: (text) => ({
    message: {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 20, completion_tokens: 14, total_tokens: 34 },
    },
  }),
};

/** Returns a function that begins the reader of a streamed completion. */
export function beginChunks({ messageBody }: Pick<ProtocolTarget, 'messageBody'>): () => ChunkReader {
  const { n } = messageBody;
  const hasOneChoice = typeof n !== 'number' || n <= 1;
  return () => new ChunkReader(hasOneChoice);
}

/** Opens an API of chat completions with its own route of messages. */
export function openCompletions(target: ProtocolTarget, route: Route): ChatApi {
  const fixed = fixedFields(target, target.stream ? { stream_options: { include_usage: true } } : {});
  const instructions = compileInstructions(target.instructions);
  const dialect: KeptDialect = {
    route,
    body: (messages, turnContent) => `${fixed},"messages":[${systemMessage(instructions(turnContent))}${messages}]}`,
    userMessage: (message) => `{"role":"user","content":${JSON.stringify(message)}}`,
    resultMessages,
    answerMessage,
    read: target.stream ? readStreamed : readWhole((completion) => judgeCompletion(completion)),
  };
  return { creation: undefined, converse: (sessionId) => new KeptConversation(sessionId, dialect) };
}

const systemMessage = (content: string): string =>
  content === '' ? '' : `{"role":"system","content":${JSON.stringify(content)}},`;

const resultMessages = (results: readonly ToolResult[]): string =>
  results.map(({ id, content }) => JSON.stringify({ role: 'tool', tool_call_id: id, content })).join(',');

function answerMessage(text: string, calls: readonly ToolCall[]): string {
  if (calls.length === 0) return JSON.stringify({ role: 'assistant', content: text });
  return JSON.stringify({ role: 'assistant', content: text === '' ? null : text, tool_calls: calls.map(writeCall) });
}

const writeCall = ({ id, name, arguments: text }: ToolCall): object => ({
  id,
  type: 'function',
  function: { name, arguments: text },
});
