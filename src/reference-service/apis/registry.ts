import type { ProtocolName } from '../../scenario/known-protocols.ts';
import type { ServedApi } from '../exchange/served-api.ts';
import { anthropicMessages } from './anthropic-messages/anthropic-messages.ts';
import { chatMessaging } from './chat-messaging/chat-messaging.ts';
import { openaiChat } from './openai-chat/openai-chat.ts';
import { openaiResponses } from './openai-responses/openai-responses.ts';

/** The APIs that the service speaks, in the order of its books: a row and a folder each. */
export const servedApis: Readonly<Record<ProtocolName, ServedApi>> = {
  'chat-messaging': chatMessaging,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'anthropic-messages': anthropicMessages,
};

export const apiNames = Object.keys(servedApis) as readonly ProtocolName[];
