/** Owner of a value. */
interface ValueOwner {
  /** Number of the session, from 1. */
  session: number;
  /** Name of the variable. */
  name: string;
}

/**
 * The variable values of live and recent sessions, to find one session's in the reply to another. It contains the
 * latest 20,000, and searching a text takes time in proportion to its length, whatever their number. A value of several
 * sessions identifies none, nor does one of fewer than three characters; of a value longer than eight words the first
 * eight count.
 */
export class ValueRegister {
  /** Values by search key; `undefined`: shared by several sessions. The latest are last. */
  readonly #owners = new Map<string, ValueOwner | undefined>();
  /** The word counts of the values: each length is tried at every word of a text. */
  readonly #widths = new Set<number>();

  /** Registers a value before a session sends it. */
  note(value: string, owner: ValueOwner): void {
    const words = wordsOf(value).slice(0, maxWords);
    const text = spanOf(value, words);
    if (text.length < minCharacters) return;
    const known = this.#owners.get(text);
    const isShared = this.#owners.has(text) && known?.session !== owner.session;
    this.#owners.delete(text);
    this.#owners.set(text, isShared ? undefined : owner);
    this.#widths.add(words.length);
    if (this.#owners.size > maxValues) this.#forgetOldest();
  }

  /** Returns the first value in a text that belongs to exactly one other session, unless it is excused. */
  findForeign(text: string, session: number, isExcused: (value: string) => boolean): ValueOwner | undefined {
    if (this.#widths.size === 0) return undefined;
    /** Start positions of the latest words: a reply may have millions, and a list of all would be many times its size. */
    const starts: number[] = [];
    for (const word of text.matchAll(anyWord)) {
      starts.push(word.index);
      if (starts.length > maxWords) starts.shift();
      for (const width of this.#widths) {
        if (width > starts.length) continue;
        const value = text.slice(starts[starts.length - width], word.index + word[0].length);
        const owner = this.#owners.get(value);
        if (owner !== undefined && owner.session !== session && !isExcused(value)) return owner;
      }
    }
    return undefined;
  }

  #forgetOldest(): void {
    const [oldest] = this.#owners.keys();
    if (oldest !== undefined) this.#owners.delete(oldest);
  }
}

/** Reports whether a text contains a value as whole words: `Ada 1` is not in `Ada 12`. */
export function holdsValue(text: string, value: string): boolean {
  for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + 1))
    if (!endsInWord.test(text.slice(0, at)) && !startsInWord.test(text.slice(at + value.length))) return true;
  return false;
}

const maxValues = 20_000;
const maxWords = 8;
const minCharacters = 3;

const endsInWord = /[\p{L}\p{N}_]$/u;
const startsInWord = /^[\p{L}\p{N}_]/u;

type Word = { index: number; 0: string };

const anyWord = /[\p{L}\p{N}_]+/gu;

const wordsOf = (text: string): Word[] => [...text.matchAll(anyWord)];

/** Returns the text from the first word to the last. */
function spanOf(text: string, words: readonly Word[]): string {
  const [first, last] = [words[0], words.at(-1)];
  return first === undefined || last === undefined ? '' : text.slice(first.index, last.index + last[0].length);
}
