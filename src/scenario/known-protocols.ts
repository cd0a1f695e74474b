import { unknownName } from '../base/unknown-name.ts';
import { anthropicMessages } from '../protocol/anthropic-messages/anthropic-messages.ts';
import { chatMessaging } from '../protocol/chat-messaging/chat-messaging.ts';
import { openaiChat } from '../protocol/openai-chat/openai-chat.ts';
import { openaiResponses } from '../protocol/openai-responses/openai-responses.ts';
import type { ChatProtocol } from '../protocol/protocol.ts';

/** The protocols that have a name. */
export const protocolNames = ['chat-messaging', 'openai-chat', 'openai-responses', 'anthropic-messages'] as const;
/** Spoken where a scenario names none; outputs name only others. */
export const defaultProtocol: ProtocolName = 'chat-messaging';
export type ProtocolName = (typeof protocolNames)[number];

/** Names by which people call the APIs of the named protocols. */
const otherNames: ReadonlyMap<string, ProtocolName> = new Map([
  ['anthropic', 'anthropic-messages'],
  ['claude', 'anthropic-messages'],
  ['openai', 'openai-chat'],
  ['gpt', 'openai-chat'],
  ['vllm', 'openai-chat'],
  ['responses', 'openai-responses'],
]);

/** The words for a protocol that does not exist, with the one that was probably meant. */
export function unknownProtocol(given: string): string {
  const meant = otherNames.get(given.toLowerCase());
  if (meant !== undefined) return `unknown protocol '${given}': did you mean '${meant}'?`;
  const known = unknownName('protocol', given, protocolNames);
  return known.endsWith('?') ? known : `${known}. Describe another API with defineProtocol (docs/protocols.md)`;
}

/** By their names. */
export const knownProtocols: Readonly<Record<ProtocolName, ChatProtocol>> = {
  'chat-messaging': chatMessaging,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'anthropic-messages': anthropicMessages,
};
