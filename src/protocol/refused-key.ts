import { ChatLoadError } from '../base/errors.ts';

const account = 'The key must be for the chat API of this account, and the account needs remaining quota or credit.';

interface Authorized {
  /** Kind of authorization, as in the plan. */
  auth: string;
  /** True if the scenario file sets the key; `undefined`: unknown. */
  isOfFile?: boolean;
}

/** Returns the remedy for a key that a service rejects, or whose quota is used up, for one kind of authorization. */
export function keyRemedyOf({ auth, isOfFile }: Authorized): string {
  if (auth === 'sigv4') return 'Check the credentials and the region of target.auth, and the clock of this machine.';
  if (auth === 'none') {
    const variable = isOfFile === undefined ? 'CHAT_LOAD_API_KEY, or ' : '';
    return `No key is sent: set ${variable}target.apiKey, or target.auth, in the scenario. ${account}`;
  }
  if (auth !== 'key') return `Check the credential of target.auth. ${account}`;
  if (isOfFile === undefined) return `Check CHAT_LOAD_API_KEY, or target.apiKey in the scenario. ${account}`;
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
export function refusedKey({ auth, ...refused }: RefusedKey & Pick<Authorized, 'auth'>): ChatLoadError {
  return new ChatLoadError('environment', { message: describeRefusedKey(refused), hint: keyRemedyOf({ auth }) });
}
