/** The ids of the sessions that are live: a service that issues one id twice merges two conversations. */
export class LiveIds {
  readonly #ids = new Set<string>();
  readonly #notify: (() => void) | undefined;
  #hasNotified = false;

  /** `notify` is called once, for the first id that two live sessions share. */
  constructor(notify: (() => void) | undefined) {
    this.#notify = notify;
  }

  add(id: string): void {
    if (this.#ids.has(id) && !this.#hasNotified) {
      this.#hasNotified = true;
      this.#notify?.();
    }
    this.#ids.add(id);
  }

  delete(id: string): void {
    this.#ids.delete(id);
  }
}
