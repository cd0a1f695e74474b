/**
 * Polynomial hashes of decoded texts, of 53 bits. If two texts have the same hash, too much is redacted, never too little: texts
 * are not compared in addition.
 */
export const firstBase = 0x01000193;
export const secondBase = 0x5bd1e995;

/** Joins two hashes of 32 bits. */
function joinedHash(first: number, second: number): number {
  return first * 2 ** 21 + (second >>> 11);
}

let firstPowers: Int32Array = Int32Array.of(1);
let secondPowers: Int32Array = Int32Array.of(1);

/** Returns the powers of a base, up to one exponent at least. */
function extended(powers: Int32Array, base: number, exponent: number): Int32Array {
  const longer = new Int32Array(Math.max(exponent + 1, 2 * powers.length));
  longer.set(powers);
  for (let at = powers.length; at < longer.length; at++) longer[at] = Math.imul(longer[at - 1] ?? 0, base);
  return longer;
}

/** Hashes of the characters from each position of a text to its end, from which hashes of its parts follow. */
export class TailHashes {
  readonly first: Int32Array;
  readonly second: Int32Array;

  constructor(size: number) {
    this.first = new Int32Array(size);
    this.second = new Int32Array(size);
  }

  /** Sets the hash at a position: of a character and the text from a later position on. */
  prepend(position: number, character: number, rest: number): void {
    this.first[position] = Math.imul(this.first[rest] ?? 0, firstBase) + character + 1;
    this.second[position] = Math.imul(this.second[rest] ?? 0, secondBase) + character + 1;
  }

  copy(position: number, from: number): void {
    this.first[position] = this.first[from] ?? 0;
    this.second[position] = this.second[from] ?? 0;
  }

  /** Returns half of the hash of `count` characters from `start` to `end`: an integer of 32 bits. */
  half(start: number, end: number, count: number): number {
    if (count >= firstPowers.length) firstPowers = extended(firstPowers, firstBase, count);
    return ((this.first[start] ?? 0) - Math.imul(firstPowers[count] ?? 0, this.first[end] ?? 0)) | 0;
  }

  /** Returns the hash of `count` characters from `start` to `end`. */
  whole(start: number, end: number, count: number): number {
    if (count >= secondPowers.length) secondPowers = extended(secondPowers, secondBase, count);
    const second = (this.second[start] ?? 0) - Math.imul(secondPowers[count] ?? 0, this.second[end] ?? 0);
    return joinedHash(this.half(start, end, count), second | 0);
  }
}

/** Hashes of a text. */
export interface TextHashes {
  /** Half of the hash of its first characters. */
  half: number;
  whole: number;
  /** Hashes of its first 128, 256, ... characters. */
  beginnings: readonly number[];
}

/** Smallest power of two whose number of characters has a hash in `beginnings`. */
export const firstPower = 7;

/** Returns the hashes of a text; `count`: number of characters of the first one. */
export function hashesOf(text: ArrayLike<number>, count: number): TextHashes {
  const beginnings: number[] = [];
  let half = 0;
  let [first, second, power, otherPower] = [0, 0, 1, 1];
  for (let at = 0; at < text.length; at++) {
    const character = (text[at] ?? 0) + 1;
    first = (first + Math.imul(character, power)) | 0;
    second = (second + Math.imul(character, otherPower)) | 0;
    power = Math.imul(power, firstBase);
    otherPower = Math.imul(otherPower, secondBase);
    if (at === count - 1) half = first;
    // The number of characters so far is a power of two.
    if (at >= 2 ** firstPower - 1 && ((at + 1) & at) === 0) beginnings.push(joinedHash(first, second));
  }
  return { half, whole: joinedHash(first, second), beginnings };
}
