/** Number of replies after which ids that have not recurred count as unique. */
const maxWatched = 2048;

/** Detects whether the ids of replies identify them: a service may have one id for all replies, or few. */
export class IdWatch {
  #hasRecurred = false;
  /** Session of each id so far. */
  readonly #sessions = new Map<number, number>();
  /** True if no further id is needed. */
  isDecided = false;
  /** The first session, and whether there was another one. */
  #first: number | undefined;
  #hasOthers = false;

  /** True if several sessions had replies, and none of them had an id of another one. */
  get areUnique(): boolean {
    return !this.#hasRecurred && this.#hasOthers;
  }

  /** Takes the fingerprint of the id of a reply. */
  note(id: number, session: number): void {
    if (this.isDecided) return;
    const known = this.#sessions.get(id);
    if (known !== undefined && known !== session) this.#hasRecurred = true;
    this.#first ??= session;
    this.#hasOthers ||= session !== this.#first;
    this.#sessions.set(id, session);
    if (!this.#hasRecurred && this.#sessions.size < maxWatched) return;
    this.isDecided = true;
    this.#sessions.clear();
  }
}
