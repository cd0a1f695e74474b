import { anthropicMessages } from './anthropic-messages/anthropic.ts';
import { openaiChat } from './openai-chat/openai-chat.ts';
import { openaiResponses } from './openai-responses/openai-responses.ts';
import type { ApiName } from '../books/api-names.ts';
import type { ServedApi } from '../model-api/served-api.ts';

/** The APIs that the service speaks besides chat-messaging, by their names. */
export const servedApis: Readonly<Record<ApiName, ServedApi>> = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'anthropic-messages': anthropicMessages,
};
