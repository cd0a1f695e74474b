import type { Notes } from '../notes.ts';
import type { Fields } from './read-reply.ts';

/** Returns the type of an event whose name repeats it: the type in its data, else its name. */
export function eventType({ type }: Fields, name: unknown, notes: Notes): string {
  if (type !== name || type === '' || typeof type !== 'string') notes.add('event_name');
  if (typeof type === 'string' && type !== '') return type;
  return typeof name === 'string' ? name : '';
}
