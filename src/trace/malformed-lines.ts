import type { FoundLines } from './trace.ts';

/** Up to this number, a file is read to its end before it is refused. */
const fewLines = 100;
const maxListed = 5;
/** A larger share means that the file has another form. */
const maxMalformedShare = 0.01;

/** Counts unreadable lines of a file, and reports when they are too many: over 1 % of them, and more than one. */
export class MalformedLines {
  count = 0;
  readonly #unit: string;
  readonly #first: { line: number; why: string }[] = [];

  /** `unit`: name of a line in messages. */
  constructor(unit = 'line') {
    this.#unit = unit;
  }

  add(line: number, why: string): void {
    this.count += 1;
    if (this.#first.length < maxListed) this.#first.push({ line, why });
  }

  /** Reports whether this number is too many, of the lines so far. */
  areTooMany(lines: number, isEnd: boolean): boolean {
    const max = Math.max(1, Math.floor(lines * maxMalformedShare));
    return this.count > (isEnd ? max : Math.max(max, fewLines));
  }

  get found(): FoundLines {
    return { count: this.count, first: this.#first };
  }

  /** Description with the first lines: `12 lines cannot be read: line 3 is not JSON, ...`. */
  get text(): string {
    const named = this.#first.map(({ line, why }) => `${this.#unit} ${String(line)} ${why}`);
    const more = this.count > named.length ? ', ...' : '';
    return `${String(this.count)} ${this.#unit}${this.count === 1 ? '' : 's'} cannot be read: ${named.join(', ')}${more}`;
  }
}
