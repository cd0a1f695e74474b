import { compileInstructions } from '../instructions.ts';
import { messageRoute } from '../model-api/message-route.ts';
import type { ChatApi, ChatProtocol, ProtocolTarget } from '../protocol.ts';
import { UiConversation } from './ui-conversation.ts';
import { UiMessageReader } from './ui-message-reader.ts';

const paths = { message: '/api/chat' } as const;

/**
 * UI message streams of the AI SDK: requests as `useChat` sends them, replies as `createUIMessageStreamResponse` does. The
 * client sends the whole chat with every turn, and every reply is streamed. Source: https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol
 */
export const aiSdk: ChatProtocol = {
  name: 'ai-sdk',
  paths,
  history: 'client',
  streamsOnly: true,
  mayLackAgent: true,
  createsSessions: () => false,
  authorize: (apiKey) => ({ Authorization: `Bearer ${apiKey}` }),
  open: openApi,
};

/** Fields that only the protocol writes. */
const reserved = new Set(['id', 'messages', 'trigger', 'model']);

function openApi(target: ProtocolTarget): ChatApi {
  const { agentId, messageBody } = target;
  const theirs = Object.fromEntries(Object.entries(messageBody).filter(([name]) => !reserved.has(name)));
  const dialect = {
    route: messageRoute(target, { path: paths.message, begin: () => new UiMessageReader() }),
    fields: JSON.stringify({ ...(agentId !== '' && { model: agentId }), ...theirs, trigger: 'submit-message' }).slice(
      0,
      -1,
    ),
    instructions: compileInstructions(target.instructions),
  };
  return { creation: undefined, converse: (sessionId) => new UiConversation(sessionId, dialect) };
}
