/** The APIs that the service speaks besides chat-messaging, in the order of its books. */
export const apiNames = ['openai-chat', 'openai-responses', 'anthropic-messages'] as const;
export type ApiName = (typeof apiNames)[number];
