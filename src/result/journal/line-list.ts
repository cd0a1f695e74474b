/** Ranges that are kept; further ones are only counted. */
const mostRanges = 10;

/** Line numbers in order, in bounded memory: "5, 9 to 12 and 3 more". */
export class LineList {
  count = 0;
  readonly #ranges: { from: number; to: number; counted: number }[] = [];

  add(line: number): void {
    this.count++;
    const last = this.#ranges.at(-1);
    if (last !== undefined && line === last.to + 1) {
      last.to = line;
      last.counted++;
    } else if (this.#ranges.length < mostRanges) this.#ranges.push({ from: line, to: line, counted: 1 });
  }

  /** Such as "line 5 is" or "lines 5 and 7 to 9 are", with the verb for one and for more. */
  inWords(one: string, more: string): string {
    const named = this.#ranges.map(rangeInWords);
    const rest = this.count - this.#ranges.reduce((sum, { counted }) => sum + counted, 0);
    const listed = rest === 0 ? joinInWords(named) : `${named.join(', ')} and ${String(rest)} more`;
    return this.count === 1 ? `line ${listed} ${one}` : `lines ${listed} ${more}`;
  }
}

/** "5", or "5 to 9". */
export function rangeInWords({ from, to }: { from: number; to: number }): string {
  return from === to ? String(from) : `${String(from)} to ${String(to)}`;
}

/** "a", "a and b", "a, b and c". */
export function joinInWords(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`;
}
