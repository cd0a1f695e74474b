import type { Notes } from '../notes.ts';
import type { Fields } from './read-reply.ts';

/** Returns the type of an event whose name repeats it: the type in its data, else its name. */
export function eventType({ type }: Fields, name: string, notes: Notes): string {
  if (typeof type !== 'string' || type === '') {
    notes.add('event_name', name);
    return name;
  }
  if (type !== name) notes.add('event_name', name);
  return type;
}
