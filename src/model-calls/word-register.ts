const maxWords = 50_000;

/** Sessions of the latest unique words. */
export class WordRegister {
  readonly #sessions = new Map<string, number>();
  readonly #max: number;

  constructor(max = maxWords) {
    this.#max = max;
  }

  add(word: string, session: number): void {
    this.#sessions.set(word, session);
    if (this.#sessions.size <= this.#max) return;
    for (const oldest of this.#sessions.keys()) {
      this.#sessions.delete(oldest);
      return;
    }
  }

  isForeign(word: string, session: number): boolean {
    const owner = this.#sessions.get(word);
    return owner !== undefined && owner !== session;
  }

  get size(): number {
    return this.#sessions.size;
  }
}
