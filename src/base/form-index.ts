import type { DecodedText } from './decoded-text.ts';
import type { Effort } from './effort.ts';
import { FragmentIndex } from './fragment-index.ts';
import { firstPower, type TailHashes } from './text-hash.ts';
import { maxBeginning, minFormLength, type Form, type Span } from './secret-forms.ts';

/** Forms with a common beginning, such as tokens of one issuer, by their hashes, and their number by length. */
interface Bucket {
  forms: Map<number, Form>;
  lengths: Map<number, number>;
}

/** Many forms of secrets that are found in one search, in time that does not depend on their number. */
export class FormIndex {
  readonly #buckets = new Map<number, Bucket>();
  readonly #settled = new Set<Form>();
  readonly #fragments = new FragmentIndex();
  /** 1 for each ASCII character that begins a form. */
  readonly #initials = new Uint8Array(128);
  readonly #window: number;
  #maxLength = 0;

  /** Takes the number of characters by which forms are found: their minimum length. */
  constructor(window: number) {
    this.#window = window;
  }

  get isEmpty(): boolean {
    return this.#buckets.size === 0;
  }

  /** Adds a form, or counts that it was added again. */
  add(form: Form): void {
    let bucket = this.#buckets.get(form.start);
    if (bucket === undefined) this.#buckets.set(form.start, (bucket = { forms: new Map(), lengths: new Map() }));
    const known = bucket.forms.get(form.hash);
    const counted = known ?? form;
    counted.count++;
    counted.tails ??= form.tails;
    if (counted.tails !== undefined) this.#settled.add(counted);
    if (known !== undefined) return;
    bucket.forms.set(form.hash, form);
    this.#begins(form.beginning.charCodeAt(0));
    // Raw forms are searched whole only: a part of one may be any text.
    if (this.#window === minFormLength && form.reading !== 'raw')
      this.#fragments.add(form, (character) => this.#begins(character));
    bucket.lengths.set(form.length, (bucket.lengths.get(form.length) ?? 0) + 1);
    this.#maxLength = Math.max(this.#maxLength, form.length);
  }

  #begins(character: number): void {
    if (character < 128) this.#initials[character] = 1;
  }

  remove({ start, hash }: Form): void {
    const bucket = this.#buckets.get(start);
    const form = bucket?.forms.get(hash);
    if (bucket === undefined || form === undefined || --form.count > 0) return;
    bucket.forms.delete(hash);
    const left = (bucket.lengths.get(form.length) ?? 1) - 1;
    if (left === 0) bucket.lengths.delete(form.length);
    else bucket.lengths.set(form.length, left);
    if (bucket.forms.size === 0) this.#buckets.delete(start);
  }

  /** Finds the longest form at each position of a text, or a long part of one, in order; they may overlap. */
  find(decoded: DecodedText, effort: Effort, found: (span: Span) => void): void {
    const { letters } = decoded;
    const initials = this.#initials;
    let foundTo = 0;
    for (let start = 0; start < decoded.text.length; start++) {
      const letter = letters[start] ?? 0;
      if (letter < 128 && initials[letter] !== 1) continue;
      const half = this.#halfAt(decoded, start);
      if (half === undefined) continue;
      const span = this.#formAt(decoded, start, half, effort);
      if (span !== undefined) found(span);
      if (start < foundTo) continue;
      const fragment = this.#fragments.find(decoded, start, half, effort);
      if (fragment === undefined) continue;
      found(fragment);
      foundTo = fragment.end;
    }
  }

  /** Returns the longest form at a position of a text, by half of the hash of its beginning. */
  #formAt(decoded: DecodedText, start: number, half: number, effort: Effort): Span | undefined {
    const bucket = this.#buckets.get(half);
    const form = bucket && maxAt(decoded, start, bucket, effort);
    if (form === undefined) return undefined;
    const end = decoded.endAfter(start, form.length);
    if (end - start < form.minSpan) return undefined;
    return { start, end: end + equalLength(decoded.text, end, form.open), mark: form.mark };
  }

  /** Returns the longest beginning of a form that ends at a position of the text. */
  findBeginning(decoded: DecodedText, end: number, effort: Effort): Span | undefined {
    if (!decoded.isMain(end)) return undefined;
    const after = decoded.leftFrom(end);
    const longest = Math.min(this.#maxLength - 1, decoded.length - after);
    effort.spend(Math.max(0, longest));
    for (let count = longest; count >= minFormLength; count--) {
      const start = decoded.mainWith(after + count);
      const letter = decoded.letters[start] ?? 0;
      if (letter < 128 && this.#initials[letter] !== 1) continue;
      const half = this.#halfAt(decoded, start);
      const bucket = half === undefined ? undefined : this.#buckets.get(half);
      if (bucket === undefined) continue;
      effort.spend(bucket.forms.size);
      const beginning = decoded.slice(start, Math.min(count, maxBeginning));
      for (const form of bucket.forms.values())
        if (form.length > count && form.beginning.startsWith(beginning) && beginsWith(form, decoded, start, count))
          return { start, end, mark: form.mark };
    }
    return undefined;
  }

  /** Returns the longest ending of a settled form that starts at a position of the text. */
  findEnding(decoded: DecodedText, start: number, effort: Effort): Span | undefined {
    let found: { count: number; mark: string } | undefined;
    for (const { tails, length, mark } of this.#settled) {
      if (tails === undefined) continue;
      const longest = Math.min(length - 1, decoded.leftAt(start));
      effort.spend(longest);
      let count = longest;
      while (count >= minFormLength && !endsWith({ tails, length }, decoded, start, count)) count--;
      if (count >= minFormLength && count > (found?.count ?? 0)) found = { count, mark };
    }
    return found && { start, end: decoded.endAfter(start, found.count), mark: found.mark };
  }

  /** Returns half of the hash of the characters by which forms are found. */
  #halfAt(decoded: DecodedText, start: number): number | undefined {
    return decoded.leftAt(start) < this.#window ? undefined : decoded.half(start, this.#window);
  }
}

/**
 * Reports whether a form begins with the next `count` characters, of which 64 are known to be equal. Of a passing secret at least
 * half of them are compared.
 */
function beginsWith({ tails, beginnings }: Form, decoded: DecodedText, start: number, count: number): boolean {
  if (tails !== undefined) return tails.whole(0, count, count) === decoded.hash(start, count);
  const power = Math.floor(Math.log2(count));
  return power < firstPower || beginnings[power - firstPower] === decoded.hash(start, 2 ** power);
}

/** Reports whether a form ends with the next `count` characters; nearly all differ in half of the hash. */
function endsWith(
  { tails, length }: { tails: TailHashes; length: number },
  decoded: DecodedText,
  start: number,
  count: number,
): boolean {
  return (
    tails.half(length - count, length, count) === decoded.half(start, count) &&
    tails.whole(length - count, length, count) === decoded.hash(start, count)
  );
}

function maxAt(decoded: DecodedText, start: number, { forms, lengths }: Bucket, effort: Effort): Form | undefined {
  const left = decoded.leftAt(start);
  let longest: Form | undefined;
  effort.spend(lengths.size);
  for (const length of lengths.keys()) {
    if (length > left || length <= (longest?.length ?? 0)) continue;
    const hash = decoded.hash(start, length);
    longest = (hash === undefined ? undefined : forms.get(hash)) ?? longest;
  }
  return longest;
}

/** Returns how many characters of the second text the first one contains at a position. */
function equalLength(text: string, at: number, other: string): number {
  const found = text.slice(at, at + other.length).toLowerCase();
  let length = 0;
  while (length < found.length && found[length] === other[length]) length++;
  return length;
}
