/**
 * A map that keeps the most recently used entries: at least half of its maximum size, and at most all of it. It forgets half
 * of it at a time: forgetting entries one by one takes a time that grows with the map.
 */
export class RecentMap<Key, Value> {
  readonly #half: number;
  readonly #sizeOf: (key: Key) => number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();
  #youngSize = 0;

  constructor(maxSize: number, sizeOf: (key: Key) => number = () => 1) {
    this.#half = Math.ceil(maxSize / 2);
    this.#sizeOf = sizeOf;
  }

  has(key: Key): boolean {
    return this.#young.has(key) || this.#old.has(key);
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: Key, value: Value): void {
    if (!this.#young.has(key)) this.#youngSize += this.#sizeOf(key);
    this.#young.set(key, value);
    if (this.#youngSize < this.#half) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngSize = 0;
  }

  /** Number of entries, of which some may count twice. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }
}
