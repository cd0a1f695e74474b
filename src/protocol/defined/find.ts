import { valueAt } from '../../base/is-object.ts';
import type { HeaderFields } from '../protocol.ts';
import { wordKind, wordWhatIsThere } from '../word-what-is-there.ts';
import { callAuthor } from './author-error.ts';
import type { EventPlace, Place } from './definition.ts';

/** Finds a value in a response, as its author says where. */
export interface Finder {
  /** `type` is that of an event. Throws `AuthorError`. */
  find(body: unknown, more?: { headers?: HeaderFields | undefined; type?: string }): unknown;
  /** What is there instead of the value that was needed, as the end of a sentence. */
  word(body: unknown, found: unknown): string;
}

/** `name` is the path of the place in the definition. */
export function finderOf(name: string, place: Place | EventPlace): Finder {
  if (typeof place === 'string') return atPath(place);
  if (typeof place !== 'function') return inHeader(place.header.toLowerCase());
  return {
    find: (body, { type = '' } = {}) => callAuthor(name, () => place(body, type)),
    word: (_, found) =>
      `: target.protocol.${name} gave ${found === undefined ? 'nothing' : `what is ${wordKind(found)}`}`,
  };
}

function atPath(place: string): Finder {
  const path = place.split('.');
  return {
    find: (body) => valueAt(body, path),
    word: (body) => ` at ${place}: ${wordWhatIsThere(body, path)}`,
  };
}

const inHeader = (name: string): Finder => ({
  find: (_, { headers = {} } = {}) => headers[name],
  word: () => ` in the header field ${name}`,
});
