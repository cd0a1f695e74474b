import { keyOf } from '../../base/random.ts';
import type { Conversation } from '../conversation.ts';

/**
 * Fingerprints of bands of a MinHash signature (Broder 1997; bands: Leskovec, Rajaraman, Ullman): two conversations of
 * which a share s of the runs of three words is common have a band in common with the probability 1 - (1 - s^8)^5, which
 * is 0.94 at s = 0.9, 0.60 at 0.8 and 0.02 at 0.5.
 */
export function bandsOf({ messages }: Conversation): readonly number[] {
  // Instructions of the system are often those of all conversations.
  const spoken = messages.filter(({ role }) => role !== 'system');
  const words = wordsOf(spoken.map(({ content }) => content).join(' '));
  if (words.length < leastWords) return [];
  const signature = signatureOf(words);
  return Array.from({ length: bands }, (_, band) => {
    const start = band * rows;
    return fold(signature.subarray(start, start + rows), band);
  });
}

const bands = 5;
const rows = 8;
/** Of fewer words, such as greetings, everything is alike. */
const leastWords = 12;
/** The beginning of a conversation tells enough, and more would take most of the time of an inspection. */
const mostWords = 256;

/** Words; of scripts without spaces, characters. */
const word =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}\p{M}]){1,64}/gu;

function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [match] of text.slice(0, mostWords * 16).matchAll(word)) {
    words.push(match.toLowerCase());
    if (words.length >= mostWords) break;
  }
  return words;
}

/** The least of every one of some hash functions over all runs of three words. */
function signatureOf(words: readonly string[]): Uint32Array {
  const least = new Uint32Array(bands * rows).fill(0xffffffff);
  for (let at = 0; at + 3 <= words.length; at++) {
    const hash = keyOf(`${words[at] ?? ''} ${words[at + 1] ?? ''} ${words[at + 2] ?? ''}`);
    for (let i = 0; i < least.length; i++) {
      const value = scramble(hash ^ Math.imul(i + 1, 0x9e3779b1));
      if (value < (least[i] ?? 0)) least[i] = value;
    }
  }
  return least;
}

/** The finalizer of MurmurHash3. */
function scramble(value: number): number {
  let h = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** 53 bits for a band; never 0. */
function fold(values: Uint32Array, band: number): number {
  let [high, low] = [band + 1, band + 7];
  for (const value of values) {
    high = scramble(high ^ value);
    low = scramble(Math.imul(low, 31) ^ value);
  }
  return (high % 0x200000) * 0x100000000 + low + 1;
}
