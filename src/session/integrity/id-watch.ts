/** Number of replies after which ids that have not recurred count as unique. */
const maxWatched = 2048;

/** Detects whether the ids of replies identify them: a service may have one id for all replies, or few. */
export class IdWatch {
  #areUnique = true;
  /** Session of each id so far. */
  readonly #sessions = new Map<number, number>();
  #isDecided = false;

  /** False once two sessions had a reply with the same id. */
  get areUnique(): boolean {
    return this.#areUnique;
  }

  /** Takes the fingerprint of the id of a reply. */
  note(id: number, session: number): void {
    if (this.#isDecided) return;
    const known = this.#sessions.get(id);
    if (known !== undefined && known !== session) this.#areUnique = false;
    this.#sessions.set(id, session);
    if (this.#areUnique && this.#sessions.size < maxWatched) return;
    this.#isDecided = true;
    this.#sessions.clear();
  }
}
