import { ChatLoadError } from '../base/errors.ts';

/** Remedy for a key that a service rejects, or whose quota is used up. */
export const keyRemedy =
  "Check CHAT_LOAD_API_KEY (or target.apiKey): without it, or if target.auth is 'none', no key is sent. The key must be for the chat API of this account, and the account needs remaining quota or credit.";

/** Describes a rejected key: the service's response and the consequence here. */
export function describeRefusedKey(seen: string, consequence = 'nothing more was sent'): string {
  return `The service rejected the API key or token (${seen}): ${consequence}.`;
}

/** Returns the error for work that cannot continue without a key. */
export function refusedKey(seen: string, consequence?: string): ChatLoadError {
  return new ChatLoadError('environment', { message: describeRefusedKey(seen, consequence), hint: keyRemedy });
}
