import { RecentMap } from '../base/recent-map.ts';

const maxWords = 50_000;

/** Sessions of the latest unique words. */
export class WordRegister {
  readonly #sessions = new RecentMap<string, number>(maxWords);

  add(word: string, session: number): void {
    this.#sessions.set(word, session);
  }

  isForeign(word: string, session: number): boolean {
    const owner = this.#sessions.get(word);
    return owner !== undefined && owner !== session;
  }

  get size(): number {
    return this.#sessions.size;
  }
}
