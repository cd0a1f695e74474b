import { createHash } from 'node:crypto';
import type { Conversation } from '../conversation.ts';
import { Fingerprints } from '../fingerprints.ts';
import type { DatasetDocument } from './dataset-document.ts';
import { keyOf } from '../../base/random.ts';

/** Counts exact and near duplicates of earlier conversations. */
export class Duplicates {
  #exact = 0;
  #near = 0;
  readonly #known: Fingerprints;
  readonly #bands: Fingerprints;

  constructor(max?: number) {
    this.#known = new Fingerprints(max);
    this.#bands = new Fingerprints(max);
  }

  add(conversation: Conversation): void {
    if (this.#known.add(fingerprintOf(conversation))) {
      this.#exact++;
      return;
    }
    // `some` would stop early, but every band must be added.
    const seen = bandsOf(conversation).filter((band) => this.#bands.add(band));
    if (seen.length > 0) this.#near++;
  }

  summary(): DatasetDocument['duplicates'] {
    const isPart = this.#known.isFull || this.#bands.isFull;
    return { exact: this.#exact, near: this.#near, compared: isPart ? 'part' : 'all' };
  }
}

/** Returns a number for the texts of a conversation, regardless of capitals, spaces and Unicode forms; 1 of 2^53 pairs collides by chance. */
export function fingerprintOf({ messages }: Conversation): number {
  const text = messages.map(({ role, content }) => `${role}\0${normalized(content)}\0`).join('');
  return numberOf(createHash('sha256').update(text).digest());
}

function normalized(text: string): string {
  // ASCII text needs no normalization, and most texts have single spaces: a test is cheaper than a copy.
  const composed = isAscii.test(text) ? text : text.normalize('NFKC');
  const lower = composed.toLowerCase();
  return (unevenSpace.test(lower) ? lower.replace(/\s+/g, ' ') : lower).trim();
}

const isAscii = /^[\0-\x7f]*$/;
const unevenSpace = /[^\S ]| {2}/;

/** Returns 53 bits of a digest; never 0. */
const numberOf = (digest: Buffer): number => digest.readUIntBE(0, 6) * 32 + (digest.readUInt8(6) >>> 3) + 1;

/**
 * Returns fingerprints of the bands of a MinHash signature (Broder 1997; bands: Leskovec, Rajaraman, Ullman). Conversations
 * that share s of their three-word sequences share a band with probability 1 - (1 - s^8)^5: 0.94 at s = 0.9, 0.60 at 0.8 and
 * 0.02 at 0.5.
 */
export function bandsOf({ messages }: Conversation): readonly number[] {
  // System messages are often the same in all conversations.
  const spoken = messages.filter(({ role }) => role !== 'system');
  const words = wordsOf(spoken.map(({ content }) => content).join(' '));
  if (words.length < minWords) return [];
  const signature = signatureOf(words);
  return Array.from({ length: bands }, (_, band) => {
    const start = band * rows;
    return fold(signature.subarray(start, start + rows), band);
  });
}

const bands = 5;
const rows = 8;
/** Texts with fewer words, such as greetings, are too similar. */
const minWords = 12;
/** The beginning of a conversation is enough; more would take most of the time of an inspection. */
const maxWords = 256;

/** A word, or a character of a script without spaces. */
const word =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}\p{M}]){1,64}/gu;

function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [match] of text.slice(0, maxWords * 16).matchAll(word)) {
    words.push(match.toLowerCase());
    if (words.length >= maxWords) break;
  }
  return words;
}

/** Returns the minimum of each hash function over all three-word sequences. */
function signatureOf(words: readonly string[]): Uint32Array {
  const min = new Uint32Array(bands * rows).fill(0xffffffff);
  for (let at = 0; at + 3 <= words.length; at++) {
    const hash = keyOf(`${words[at] ?? ''} ${words[at + 1] ?? ''} ${words[at + 2] ?? ''}`);
    for (let i = 0; i < min.length; i++) {
      const value = scramble(hash ^ Math.imul(i + 1, 0x9e3779b1));
      if (value < (min[i] ?? 0)) min[i] = value;
    }
  }
  return min;
}

/** Applies the finalizer of MurmurHash3. */
function scramble(value: number): number {
  let h = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Returns 53 bits for a band; never 0. */
function fold(values: Uint32Array, band: number): number {
  let [high, low] = [band + 1, band + 7];
  for (const value of values) {
    high = scramble(high ^ value);
    low = scramble(Math.imul(low, 31) ^ value);
  }
  return (high % 0x200000) * 0x100000000 + low + 1;
}
