import { RecentMap } from '../../base/recent-map.ts';
import { loadEncoding } from '../../edge/optional-packages.ts';
import type { ResolvedModel } from '../../scenario/model-options.ts';

/** Counts the tokens of a text. */
export type CountTokens = (text: string) => number;

/** Characters of texts whose counts are kept. */
const maxCharacters = 32 * 1024 * 1024;
/** Each text counts with this many characters at least. */
const overhead = 64;

/** Returns the counter of a tokenizer. Throws a usage error if its package is missing. */
export async function tokenCounter(tokenizer: ResolvedModel['tokenizer']): Promise<CountTokens> {
  if (tokenizer === 'words') return countWords;
  const encoding = await loadEncoding(tokenizer, process.cwd());
  return cachedCounter((text) => encoding.count(text));
}

/** Keeps the counts of recent texts, because conversations repeat their messages in every call. */
function cachedCounter(count: CountTokens): CountTokens {
  const known = new RecentMap<string, number>(maxCharacters, (text) => text.length + overhead);
  return (text) => {
    let tokens = known.get(text);
    if (tokens === undefined) known.set(text, (tokens = count(text)));
    return tokens;
  };
}

const hyphen = 45;

/** Counts as the reference service splits texts: words, split after hyphens. Makes no strings, because inputs are long. */
export function countWords(text: string): number {
  let words = 0;
  let isInWord = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === hyphen) {
      if (!isInWord) words++;
      isInWord = false;
    } else if (isSpace(code)) isInWord = false;
    else if (!isInWord) {
      words++;
      isInWord = true;
    }
  }
  return words === 0 && text !== '' ? 1 : words;
}

/** Reports whether a code unit is white space of regular expressions. */
function isSpace(code: number): boolean {
  if (code <= 32) return code === 32 || (code >= 9 && code <= 13);
  return code >= 160 && /\s/.test(String.fromCharCode(code));
}
