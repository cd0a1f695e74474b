import { ChatLoadError } from '../base/errors.ts';

/** Remedy for a key that a service rejects, or whose quota is used up. */
export const keyRemedy =
  "Check CHAT_LOAD_API_KEY (or target.apiKey), or the credential of target.auth (of sigv4 also the region, and the clock of this machine): without a key, or if target.auth is 'none', no key is sent. The key must be for the chat API of this account, and the account needs remaining quota or credit.";

const account = 'The key must be for the chat API of this account, and the account needs remaining quota or credit.';

/** Returns the remedy for one kind of authorization. `isOfFile`: the scenario file sets the key. */
export function keyRemedyOf({ auth, isOfFile }: { auth: string; isOfFile: boolean }): string {
  if (auth === 'sigv4') return 'Check the credentials and the region of target.auth, and the clock of this machine.';
  if (auth === 'none') return `No key is sent: set target.apiKey, or target.auth, in the scenario. ${account}`;
  if (auth !== 'key') return `Check the credential of target.auth. ${account}`;
  return isOfFile
    ? `Check target.apiKey in the scenario, and the environment variable that it reads. ${account}`
    : `Check CHAT_LOAD_API_KEY. ${account}`;
}

interface RefusedKey {
  /** Response of the service. */
  seen: string;
  /** True if requests carried no credential. */
  isAnonymous: boolean;
  consequence?: string;
}

/** Describes a rejected or missing key: the service's response and the consequence here. */
export function describeRefusedKey({ seen, isAnonymous, consequence = 'nothing more was sent' }: RefusedKey): string {
  const cause = isAnonymous
    ? 'The service requires an API key or token, but none was sent'
    : 'The service rejected the API key or token';
  return `${cause} (${seen}): ${consequence}.`;
}

/** Returns the error for work that cannot continue without a key. */
export function refusedKey(refused: RefusedKey): ChatLoadError {
  return new ChatLoadError('environment', { message: describeRefusedKey(refused), hint: keyRemedy });
}
