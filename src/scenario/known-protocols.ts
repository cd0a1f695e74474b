import { anthropicMessages } from '../protocol/anthropic-messages/anthropic-messages.ts';
import { chatMessaging } from '../protocol/chat-messaging/chat-messaging.ts';
import { openaiChat } from '../protocol/openai-chat/openai-chat.ts';
import { openaiResponses } from '../protocol/openai-responses/openai-responses.ts';
import type { ChatProtocol } from '../protocol/protocol.ts';

/** The protocols that have a name. */
export const protocolNames = ['chat-messaging', 'openai-chat', 'openai-responses', 'anthropic-messages'] as const;
export type ProtocolName = (typeof protocolNames)[number];

/** By their names. */
export const knownProtocols: Readonly<Record<ProtocolName, ChatProtocol>> = {
  'chat-messaging': chatMessaging,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'anthropic-messages': anthropicMessages,
};
