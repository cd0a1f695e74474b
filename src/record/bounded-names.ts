const others = '(others)';

/** Limits the number of different names from outside that are counted separately. */
export class BoundedNames {
  readonly #max: number;
  readonly #known = new Set<string>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Returns the name to count: itself, or `(others)` after the maximum number of names. */
  take(name: string): string {
    if (this.#known.has(name)) return name;
    if (this.#known.size >= this.#max) return others;
    this.#known.add(name);
    return name;
  }
}
