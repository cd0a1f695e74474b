import type { ProtocolName } from '../../src/protocol/registry/registry.ts';
import type { GalleryRow } from './row.ts';
import { anthropicMessagesRow } from './rows/anthropic-messages.ts';
import { chatMessagingRow } from './rows/chat-messaging.ts';
import { openaiChatRow } from './rows/openai-chat.ts';
import { openaiResponsesRow } from './rows/openai-responses.ts';

/** Rows of the gallery, in the order of the registry. */
export const galleryRows: Readonly<Partial<Record<ProtocolName, GalleryRow>>> = {
  'chat-messaging': chatMessagingRow,
  'openai-chat': openaiChatRow,
  'openai-responses': openaiResponsesRow,
  'anthropic-messages': anthropicMessagesRow,
};
