import type { ProtocolName } from '../../src/protocol/registry/registry.ts';
import type { GalleryRow } from './row.ts';
import { a2aRow } from './rows/a2a.ts';
import { aiSdkRow } from './rows/ai-sdk.ts';
import { anthropicMessagesRow } from './rows/anthropic-messages.ts';
import { azureOpenaiRow } from './rows/azure-openai.ts';
import { bedrockConverseRow } from './rows/bedrock-converse.ts';
import { chatMessagingRow } from './rows/chat-messaging.ts';
import { geminiRow } from './rows/gemini.ts';
import { langgraphRow } from './rows/langgraph.ts';
import { openaiChatRow } from './rows/openai-chat.ts';
import { openaiRealtimeRow } from './rows/openai-realtime.ts';
import { openaiResponsesRow } from './rows/openai-responses.ts';
import { openaiResponsesWebsocketRow } from './rows/openai-responses-websocket.ts';

/** Rows of the gallery: every protocol of the registry has one, in its order. */
export const galleryRows: Readonly<Record<ProtocolName, GalleryRow>> = {
  'chat-messaging': chatMessagingRow,
  'openai-chat': openaiChatRow,
  'openai-responses': openaiResponsesRow,
  'openai-responses-websocket': openaiResponsesWebsocketRow,
  'openai-realtime': openaiRealtimeRow,
  'anthropic-messages': anthropicMessagesRow,
  'ai-sdk': aiSdkRow,
  langgraph: langgraphRow,
  a2a: a2aRow,
  'bedrock-converse': bedrockConverseRow,
  gemini: geminiRow,
  'azure-openai': azureOpenaiRow,
};
