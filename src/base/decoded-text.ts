import {
  backslash,
  beginsEscapes,
  firstRead,
  inLowerCase,
  isSkipped,
  joined,
  readEscape,
  skipped,
  type Decoded,
} from './read-escape.ts';
import type { Effort } from './effort.ts';
import { firstBase, secondBase, TailHashes } from './text-hash.ts';

/**
 * Ways to read a text: with its escapes decoded and its lines joined, as base64 or hexadecimal digits (escapes decoded, line
 * breaks and separators skipped), joined (like plain, all spaces and invisible characters skipped), or raw. All ignore case.
 */
const readings = ['plain', 'base64', 'hex', 'joined', 'raw'] as const;
export type Reading = (typeof readings)[number];

const absent = -1;

/** Maximum number of characters between a position within an escape and its end: longer escapes contain no secret. */
const maxWithin = 64;

/**
 * A text decoded from every position, also from within an escape: the text before a secret may end like the beginning of one.
 * Nearly all positions are on the main path, which starts at 0; the others join it after the escape that contains them.
 * Decoding from right to left decodes nested escapes once each, in linear time.
 */
export class DecodedText implements Decoded {
  readonly text: string;
  readonly letters: Int32Array;
  readonly next: Int32Array;
  readonly #hashes: TailHashes;
  /** Number of characters from each position to the end. */
  readonly #left: Int32Array;
  readonly #isMain: Uint8Array;
  /** Positions of the main path by the number of characters from there to the end. */
  readonly #mainWith: Int32Array;

  constructor(text: string, reading: Reading, effort: Effort) {
    const size = text.length + 1;
    effort.spend(size);
    this.text = text;
    this.letters = new Int32Array(size);
    this.next = new Int32Array(size);
    this.#hashes = new TailHashes(size);
    this.#left = new Int32Array(size);
    this.#isMain = new Uint8Array(size);
    this.letters[text.length] = absent;
    this.next[text.length] = text.length;
    this.#decodeAll(reading, effort);
    this.#mainWith = new Int32Array(this.length + 1).fill(text.length);
    this.#followMain();
  }

  /** Number of decoded characters. */
  get length(): number {
    return this.#left[0] ?? 0;
  }

  /** Returns the decoded characters, as code points in lower case. */
  characters(): Int32Array {
    const characters = new Int32Array(this.length);
    for (let left = this.length; left > 0; left--)
      characters[this.length - left] = this.letters[this.mainWith(left)] ?? 0;
    return characters;
  }

  /** Returns the number of characters from a position to the end. */
  leftFrom(position: number): number {
    return this.#left[position] ?? 0;
  }

  /** Returns the number of characters from a position to the end; 0 if the character there is skipped. */
  leftAt(position: number): number {
    return (this.letters[position] ?? absent) < 0 ? 0 : this.leftFrom(position);
  }

  /** Returns the first position from another one on whose character is not skipped. */
  firstFrom(position: number): number {
    return firstRead(this, position);
  }

  isMain(position: number): boolean {
    return this.#isMain[position] === 1;
  }

  /** Returns the position on the main path with this number of characters from there to the end. */
  mainWith(left: number): number {
    return this.#mainWith[left] ?? 0;
  }

  /** Returns characters from a position of the main path on, as text. */
  slice(position: number, count: number): string {
    let text = '';
    for (let read = 0; read < count; read++) {
      const place = this.mainWith(this.leftFrom(position) - read);
      text += String.fromCodePoint(this.letters[place] ?? 0);
    }
    return text;
  }

  /** Returns half of the hash of the next characters; undefined if there are fewer. */
  half(position: number, count: number): number | undefined {
    const end = this.#after(position, count);
    return end === -1 ? undefined : this.#hashes.half(position, end, count);
  }

  /** Returns the hash of the next characters; undefined if there are fewer. */
  hash(position: number, count: number): number | undefined {
    const end = this.#after(position, count);
    return end === -1 ? undefined : this.#hashes.whole(position, end, count);
  }

  /** Returns the position after a number of characters; -1 if there are fewer, or an escape is too long. */
  #after(position: number, count: number): number {
    let [at, rest, walked] = [position, count, 0];
    while (rest > 0 && this.#isMain[at] === 0) {
      if (++walked > maxWithin) return -1;
      if ((this.letters[at] ?? absent) >= 0) rest--;
      at = this.next[at] ?? at;
    }
    return rest === 0 ? at : (this.#mainWith[(this.#left[at] ?? 0) - rest] ?? -1);
  }

  /** Returns the end of a number of characters in the text, without what is skipped after them. */
  endAfter(position: number, count: number): number {
    const last = this.firstFrom(this.#after(position, count - 1));
    return this.next[last] ?? last;
  }

  #decodeAll(reading: Reading, effort: Effort): void {
    const { text, letters, next } = this;
    const left = this.#left;
    const { first, second } = this.#hashes;
    const known = ordinary[reading];
    for (let at = text.length - 1; at >= 0; at--) {
      const code = text.charCodeAt(at);
      const letter = code < 128 ? (known[code] ?? absent) : absent;
      if (letter === absent) {
        this.#decode(at, reading, effort);
        continue;
      }
      // Written out for speed: like `#set`, or `#skip`.
      const rest = at + 1;
      next[at] = rest;
      letters[at] = letter === skipped ? skipped - firstRead(this, rest) : letter;
      if (letter === skipped) {
        left[at] = left[rest] ?? 0;
        first[at] = first[rest] ?? 0;
        second[at] = second[rest] ?? 0;
      } else {
        left[at] = (left[rest] ?? 0) + 1;
        first[at] = Math.imul(first[rest] ?? 0, firstBase) + letter + 1;
        second[at] = Math.imul(second[rest] ?? 0, secondBase) + letter + 1;
      }
    }
  }

  #decode(at: number, reading: Reading, effort: Effort): void {
    const raw = this.text.charCodeAt(at);
    let read = { code: raw, end: at + 1, isByte: false };
    if (reading !== 'raw') read = joined(this, read);
    while (reading !== 'raw' && beginsEscapes(read.code)) {
      effort.spend(1);
      // Several layers of JSON escape one character by several backslashes.
      if (raw === backslash && read.end === at + 1 && this.text.charCodeAt(at + 1) === backslash)
        return this.#repeat(at, at + 1);
      if (read.code === backslash && this.#isSkipped(reading, read.end))
        return this.#skip(at, this.#afterIndent(reading, this.next[read.end] ?? read.end));
      const escape = readEscape(this, read.code, read.end);
      // A backslash that begins no escape only marks the next character.
      if (escape === undefined && read.code === backslash) return this.#repeat(at, read.end);
      if (escape === undefined) break;
      read = joined(this, escape);
    }
    const letter = letterIn(reading, read.code);
    const after = this.letters[read.end];
    if (reading === 'hex' && letter === zero && after === x) this.#skip(at, this.next[read.end] ?? read.end);
    else if (letter === skipped || (reading === 'base64' && letter === equals && isSkipped(after)))
      this.#skip(at, this.#afterIndent(reading, read.end));
    else this.#set(at, letter, read.end);
  }

  /** Reports whether a backslash and the next letter are skipped: `\n` between lines, `\f` in joined text, `\x` before hexadecimal digits. */
  #isSkipped(reading: Reading, at: number): boolean {
    if (this.text.charCodeAt(at) === backslash) return false;
    const letter = this.letters[at] ?? absent;
    if (lineBreaks.includes(letter)) return true;
    return reading === 'hex' ? letter === x : reading === 'joined' && (letter === b || letter === f);
  }

  /** Returns the position after the spaces and tabs that a folded line of plain text begins with. */
  #afterIndent(reading: Reading, at: number): number {
    if (reading !== 'plain') return at;
    let end = at;
    while (this.letters[end] === space || this.letters[end] === tab) end = this.next[end] ?? end;
    return end;
  }

  #set(at: number, letter: number, next: number): void {
    this.letters[at] = letter;
    this.next[at] = next;
    this.#left[at] = (this.#left[next] ?? 0) + 1;
    this.#hashes.prepend(at, letter, next);
  }

  #skip(at: number, next: number): void {
    this.letters[at] = skipped - firstRead(this, next);
    this.next[at] = next;
    this.#left[at] = this.#left[next] ?? 0;
    this.#hashes.copy(at, next);
  }

  /** Gives a position the character of a later one. */
  #repeat(at: number, later: number): void {
    this.letters[at] = this.letters[later] ?? absent;
    this.next[at] = this.next[later] ?? later;
    this.#left[at] = this.#left[later] ?? 0;
    this.#hashes.copy(at, later);
  }

  #followMain(): void {
    let at = 0;
    while (at < this.text.length) {
      this.#isMain[at] = 1;
      if ((this.letters[at] ?? absent) >= 0) this.#mainWith[this.#left[at] ?? 0] = at;
      at = this.next[at] ?? this.text.length;
    }
    this.#isMain[at] = 1;
  }
}

const [tab, space, zero, equals, b, f, x] = [9, 32, 48, 61, 98, 102, 120];
/** `n`, `r` and `t`. */
const lineBreaks = [110, 114, 116];

/** Returns a character as it is compared. */
function letterIn(reading: Reading, code: number): number {
  if (reading === 'base64') return code === 45 ? 43 : code === 95 ? 47 : isSpace(code) ? skipped : inLowerCase(code);
  if (reading === 'plain' && isLineBreak(code)) return skipped;
  if (reading === 'joined' && isInvisible(code)) return skipped;
  if (reading === 'hex' && (code === 58 || code === 44 || code === 45 || isSpace(code))) return skipped;
  return inLowerCase(code);
}

const isInvisible = (code: number): boolean =>
  code < 128 ? code < 33 || code === 127 : /[\s\p{C}]/u.test(String.fromCodePoint(code));

const isLineBreak = (code: number): boolean => code === 10 || code === 13;

const isSpace = (code: number): boolean =>
  code < 128 ? code === 32 || (code > 8 && code < 14) : /\s/.test(String.fromCharCode(code));

/** ASCII characters as they are compared; -1 for those that depend on the next ones. */
const ordinary = Object.fromEntries(
  readings.map((reading) => [
    reading,
    Int32Array.from({ length: 128 }, (_, code) => {
      if (reading === 'raw') return inLowerCase(code);
      const isOpen =
        (reading === 'hex' && code === zero) ||
        (reading === 'base64' && code === equals) ||
        (reading === 'plain' && isLineBreak(code));
      return isOpen || beginsEscapes(code) ? absent : letterIn(reading, code);
    }),
  ]),
) as Readonly<Record<Reading, Int32Array>>;
