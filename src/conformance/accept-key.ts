import { refusedKey } from '../protocol/refused-key.ts';
import type { Answer } from './post.ts';

/** Throws an environment error for a key that is refused. Only for the first creation and the first message: later ones had been accepted before. */
export function acceptKey({ status }: Pick<Answer, 'status'>): void {
  if (status === 401 || status === 403) throw refusedKey(String(status), 'no rule can be tried');
}
