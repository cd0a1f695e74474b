import { RecentMap } from '../../base/recent-map.ts';
import type { InputItem } from './read-call.ts';

const blockBytes = 256;

/** An input as bytes, with the chained digests of its blocks. */
export interface DigestedInput {
  blocks: readonly string[];
  /** Position of the end of each item, in bytes. */
  ends: readonly number[];
}

/** Digests the canonical text of an input: role and text of each item, so that growing conversations share their beginning. */
export function digestInput(model: string, items: readonly InputItem[]): DigestedInput {
  let text = '';
  let bytes = 0;
  const ends = items.map(({ role, text: own }) => {
    const part = `${role}\n${own}\n`;
    text += part;
    return (bytes += Buffer.byteLength(part));
  });
  const buffer = Buffer.from(text);
  const blocks: string[] = [];
  // Two independent 32-bit hashes, each chained through all blocks.
  let one = 0x811c9dc5;
  let two = 0x9747b28c;
  for (let index = 0; index < model.length; index++) one = Math.imul(one ^ model.charCodeAt(index), 0x01000193);
  for (let at = 0; at + blockBytes <= buffer.length; at += blockBytes) {
    for (let index = at; index < at + blockBytes; index += 4) {
      const word = buffer.readInt32LE(index);
      one = Math.imul(one ^ word, 0x9e3779b1);
      one ^= one >>> 15;
      two = Math.imul(two ^ word, 0x85ebca77);
      two ^= two >>> 13;
    }
    blocks.push((one >>> 0).toString(36) + '.' + (two >>> 0).toString(36));
  }
  return { blocks, ends };
}

/** Remembers the beginnings of inputs, as many as its size allows. */
export class PrefixCache {
  /** Digests of blocks. */
  readonly #known: RecentMap<string, true>;
  readonly #minTokens: number;

  constructor({ minTokens, maxMegabytes }: { minTokens: number; maxMegabytes: number }) {
    this.#known = new RecentMap(Math.floor((maxMegabytes * 1024 * 1024) / blockBytes));
    this.#minTokens = minTokens;
  }

  /** Returns the number of tokens of an input that an earlier input began with, and remembers this one. */
  take({ blocks, ends }: DigestedInput, tokens: readonly number[]): number {
    let shared = 0;
    while (this.#known.has(blocks[shared] ?? '')) shared++;
    // The last block first: a beginning is of use without its continuation, but not the reverse.
    for (let index = blocks.length - 1; index >= 0; index--) this.#known.set(blocks[index] ?? '', true);
    const cached = tokensUntil(shared * blockBytes, ends, tokens);
    return cached < this.#minTokens ? 0 : cached;
  }
}

/** Returns the number of tokens before a position; the item at the position counts in proportion. */
function tokensUntil(position: number, ends: readonly number[], tokens: readonly number[]): number {
  let sum = 0;
  let from = 0;
  for (const [index, end] of ends.entries()) {
    const own = tokens[index] ?? 0;
    if (end > position) return sum + Math.floor((own * (position - from)) / (end - from));
    sum += own;
    from = end;
  }
  return sum;
}
