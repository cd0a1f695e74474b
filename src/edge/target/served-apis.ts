import { anthropicMessages } from './anthropic.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';
import type { ApiName } from './api-names.ts';
import type { ServedApi } from './served-api.ts';

/** The APIs that the service speaks besides chat-messaging, by their names. */
export const servedApis: Readonly<Record<ApiName, ServedApi>> = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'anthropic-messages': anthropicMessages,
};
