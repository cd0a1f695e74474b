import { ChatLoadError } from '../../base/errors.ts';
import { checkApiKey, isFieldValue } from '../../edge/http/request/request-head.ts';
import type { Settled } from '../../plan/settle.ts';

/** Refuses a key, or what a scenario gives in its place, that no header can carry. Throws a usage error; what is wrong is not in it. */
export function checkCredential({ apiKey, auth }: Pick<Settled, 'apiKey' | 'auth'>): void {
  if (auth.kind === 'key') return checkApiKey(apiKey);
  if (auth.isBySession) return;
  if (auth.kind !== 'bearer' && auth.kind !== 'header') return;
  const fields = Object.values(auth.authorize(apiKey));
  if (apiKey !== '' && fields.every(isFieldValue)) return;
  throw new ChatLoadError('usage', {
    message: `target.auth.${auth.kind} holds a character that an HTTP header cannot carry`,
    hint: 'Nothing was sent. Often it ends with a line break copied from a file.',
  });
}
