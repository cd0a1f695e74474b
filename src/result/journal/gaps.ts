/** Consecutive entry numbers, and the time span that they cover since the start of the run. */
export interface Gap {
  from: number;
  to: number;
  startMs: number;
  endMs: number;
}

/** Tracks which numbered entries are present and which are missing. */
export class Gaps {
  /** Present ranges by number. There is one while nothing is missing, whatever the length of the run. */
  readonly #known: Gap[] = [];

  /** Adds an entry; returns `false` if its number is a duplicate. */
  add(number: number, { startMs, endMs }: Pick<Gap, 'startMs' | 'endMs'>): boolean {
    const at = this.#known.findLastIndex(({ from }) => from <= number);
    const [before, after] = [this.#known[at], this.#known[at + 1]];
    if (before !== undefined && number <= before.to) return false;
    const added = { from: number, to: number, startMs, endMs };
    const joined = [
      before?.to === number - 1 ? before : undefined,
      added,
      after?.from === number + 1 ? after : undefined,
    ];
    const parts = joined.filter((each) => each !== undefined);
    this.#known.splice(parts[0] === before ? at : at + 1, parts.length - 1, join(parts));
    return true;
  }

  /** The highest number; 0 without entries. */
  get last(): number {
    return this.#known.at(-1)?.to ?? 0;
  }

  /** Returns the missing ranges from number 1 to the last present entry, or to a known last entry. */
  missing(end?: { number: number; endMs: number }): Gap[] {
    const edges = [
      ...this.#known,
      ...(end === undefined
        ? []
        : [{ from: end.number + 1, to: end.number + 1, startMs: end.endMs, endMs: end.endMs }]),
    ];
    let [next, fromMs] = [1, 0];
    return edges.flatMap(({ from, to, startMs, endMs }) => {
      const gap = { from: next, to: from - 1, startMs: fromMs, endMs: Math.max(fromMs, startMs) };
      next = Math.max(next, to + 1);
      fromMs = Math.max(fromMs, endMs);
      return gap.to < gap.from ? [] : [gap];
    });
  }
}

const join = (parts: readonly Gap[]): Gap => ({
  from: Math.min(...parts.map(({ from }) => from)),
  to: Math.max(...parts.map(({ to }) => to)),
  startMs: Math.min(...parts.map(({ startMs }) => startMs)),
  endMs: Math.max(...parts.map(({ endMs }) => endMs)),
});

/** Maximum number of ranges that are kept; further ones are only counted. */
const maxRanges = 10;

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
    } else if (this.#ranges.length < maxRanges) this.#ranges.push({ from: line, to: line, counted: 1 });
  }

  /** Describes the lines, such as "line 5 is" or "lines 5 and 7 to 9 are", with the singular or plural verb. */
  describe(one: string, more: string): string {
    const named = this.#ranges.map(rangeText);
    const rest = this.count - this.#ranges.reduce((sum, { counted }) => sum + counted, 0);
    const listed = rest === 0 ? joinTexts(named) : `${named.join(', ')} and ${String(rest)} more`;
    return this.count === 1 ? `line ${listed} ${one}` : `lines ${listed} ${more}`;
  }
}

export function rangeText({ from, to }: { from: number; to: number }): string {
  return from === to ? String(from) : `${String(from)} to ${String(to)}`;
}

export function joinTexts(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`;
}
