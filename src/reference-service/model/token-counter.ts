import { loadEncoding } from '../../edge/optional-packages.ts';
import type { SettledModel } from '../../scenario/model-options.ts';
import { tokensOf } from '../model-api/make-reply.ts';
import { BoundedMap } from './bounded-map.ts';

/** Counts the tokens of a text. */
export type CountTokens = (text: string) => number;

/** Characters of texts whose counts are kept. */
const maxCharacters = 32 * 1024 * 1024;
/** Each text counts with this many characters at least. */
const overhead = 64;

/** Returns the counter of a tokenizer. Throws a usage error if its package is missing. */
export async function tokenCounter(tokenizer: SettledModel['tokenizer']): Promise<CountTokens> {
  if (tokenizer === 'words') return cachedCounter(countWords);
  const { count } = await loadEncoding(tokenizer, process.cwd());
  return cachedCounter(count);
}

/** Keeps the counts of recent texts, because conversations repeat their messages in every call. */
function cachedCounter(count: CountTokens): CountTokens {
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
const countWords: CountTokens = (text) => tokensOf(text).length;
