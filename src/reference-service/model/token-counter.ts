import { tokensOf } from '../model-api/make-reply.ts';
import { BoundedMap } from './bounded-map.ts';

/** Counts the tokens of a text. */
export type CountTokens = (text: string) => number;

/** Characters of texts whose counts are kept. */
const maxCharacters = 32 * 1024 * 1024;
/** Each text counts with this many characters at least. */
const overhead = 64;

/** Keeps the counts of recent texts, because conversations repeat their messages in every call. */
export function cachedCounter(count: CountTokens): CountTokens {
  const known = new BoundedMap<string, number>(maxCharacters);
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const tokens = count(text);
    known.set(text, tokens, text.length + overhead);
    return tokens;
  };
}

/** Counts as the reference service does: words, split at hyphens. */
export const countWords: CountTokens = (text) => tokensOf(text).length;
