import type { TraceFacts } from './trace.ts';

/** Below this number, a file is read on to its end before it is judged. */
const fewLines = 100;
const maxListed = 5;
/** More of the lines mean that the file is another than it seems. */
const maxMalformedShare = 0.01;

/** Counts unreadable lines of a file, and reports when they are too many: over 1 % of them, and more than one. */
export class MalformedLines {
  count = 0;
  readonly #first: { line: number; why: string }[] = [];

  add(line: number, why: string): void {
    this.count += 1;
    if (this.#first.length < maxListed) this.#first.push({ line, why });
  }

  /** Reports whether this number is too many, of the lines so far. */
  areTooMany(lines: number, isEnd: boolean): boolean {
    const max = Math.max(1, Math.floor(lines * maxMalformedShare));
    return this.count > (isEnd ? max : Math.max(max, fewLines));
  }

  get found(): TraceFacts['malformed'] {
    return { count: this.count, first: this.#first };
  }

  /** Their number, and the first ones: `12 lines cannot be read: line 3 is not JSON, ...`. */
  get words(): string {
    const named = this.#first.map(({ line, why }) => `line ${String(line)} ${why}`);
    const more = this.count > named.length ? ', ...' : '';
    return `${String(this.count)} ${this.count === 1 ? 'line' : 'lines'} cannot be read: ${named.join(', ')}${more}`;
  }
}
