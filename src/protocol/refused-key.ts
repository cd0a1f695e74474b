import { ChatLoadError } from '../base/errors.ts';

/** What a person can do about a key that a service does not take, or whose quota is used up. */
export const keyRemedy =
  'Check CHAT_LOAD_API_KEY (or target.apiKey), or target.auth where that is given: that it is for the chat API of this account, and that the account has quota or credit left.';

/** The words for a key that was refused: how the service said so, and what that means here. */
export function wordRefusedKey(seen: string, consequence = 'nothing more was sent'): string {
  return `The service refused the API key (${seen}): ${consequence}.`;
}

/** The same as an error, for what cannot go on without a key. */
export function refusedKey(seen: string, consequence?: string): ChatLoadError {
  return new ChatLoadError('environment', { message: wordRefusedKey(seen, consequence), hint: keyRemedy });
}
