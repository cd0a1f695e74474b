import { z } from 'zod';
import { addSparse } from './dense-histogram.ts';
import { bucketCount, UnreadableHistogram, type SparseHistogram } from './sparse-histogram.ts';

/**
 * Changes of the counts of buckets that make the values of a series those less the longest wait for the event loop that they may
 * contain: `bucket:change` each, the bucket as its distance from the one before. They add up to 0. Not compressed: there are few,
 * and every interval of every series has some.
 */
export const storedShiftsSchema = z.string();
export type StoredShifts = z.infer<typeof storedShiftsSchema>;

/** Returns the stored form of changes. */
export function storeShifts({ indexes, counts }: SparseHistogram): StoredShifts {
  let text = '';
  let before = 0;
  for (let at = 0; at < indexes.length; at++) {
    const index = indexes[at] ?? 0;
    text += `${at === 0 ? '' : ' '}${String(index - before)}:${String(counts[at] ?? 0)}`;
    before = index;
  }
  return text;
}

/** Returns the changes of stored shifts. Throws `UnreadableHistogram` for another text. */
export function readShifts(shifts: StoredShifts): SparseHistogram {
  const reader = new ShiftReader(shifts);
  const [indexes, counts]: [number[], number[]] = [[], []];
  let [index, total] = [0, 0];
  while (!reader.isAtEnd) {
    if (indexes.length > 0) reader.take(space);
    const step = reader.number(maxStepDigits);
    reader.take(colon);
    const sign = reader.has(minus) ? -1 : 1;
    const change = sign * reader.number(maxChangeDigits);
    index += step;
    if ((indexes.length > 0 && step === 0) || index >= bucketCount) throw new UnreadableHistogram(notShifts);
    indexes.push(index);
    counts.push(change);
    total += change;
  }
  return { indexes: Int32Array.from(indexes), counts: Float64Array.from(counts), total };
}

const notShifts = 'not the changes of a histogram';
const [space, minus, zero, colon] = [32, 45, 48, 58];
const [maxStepDigits, maxChangeDigits] = [5, 15];

/** Reads stored shifts character by character: they are read for each interval of each series. */
class ShiftReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  /** Skips a character if it is next, and reports whether it was. */
  has(code: number): boolean {
    if (this.#text.charCodeAt(this.#at) !== code) return false;
    this.#at++;
    return true;
  }

  take(code: number): void {
    if (!this.has(code)) throw new UnreadableHistogram(notShifts);
  }

  /** Returns the next whole number. */
  number(maxDigits: number): number {
    const start = this.#at;
    let value = 0;
    for (; this.#at < this.#text.length; this.#at++) {
      const digit = this.#text.charCodeAt(this.#at) - zero;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    const digits = this.#at - start;
    if (digits === 0 || digits > maxDigits) throw new UnreadableHistogram(notShifts);
    return value;
  }
}

/** Merges the shifts of the parts of a series; `undefined` if there are none. */
export function mergeShifts(parts: readonly (StoredShifts | undefined)[]): StoredShifts | undefined {
  const there = parts.filter((part) => part !== undefined);
  return there.length <= 1 ? there[0] : storeShifts(addSparse(there.map(readShifts)));
}

/** Returns the values of a series less the longest waits that they may contain. */
export function withoutWaits(values: SparseHistogram, shifts: StoredShifts | undefined): SparseHistogram {
  if (shifts === undefined) return values;
  const { indexes, counts } = addSparse([values, readShifts(shifts)]);
  let [filled, total] = [0, 0];
  for (let at = 0; at < counts.length; at++) {
    const count = counts[at] ?? 0;
    if (count <= 0) continue;
    indexes[filled] = indexes[at] ?? 0;
    counts[filled++] = count;
    total += count;
  }
  return { indexes: indexes.subarray(0, filled), counts: counts.subarray(0, filled), total };
}
