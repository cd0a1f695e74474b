import { createHash } from 'node:crypto';

/** Returns the hash of a message for the match by text: letter case and runs of white space make no difference. '' for no text. */
export function textHashOf(message: string): string {
  const text = message.normalize('NFKC').toLowerCase().replaceAll(/\s+/gu, ' ').trim();
  return text === '' ? '' : createHash('sha256').update(text).digest('hex').slice(0, 24);
}
