/** The ids of the sessions that are live: a service that gives one id twice makes one conversation of two. */
export class LiveIds {
  readonly #ids = new Set<string>();
  readonly #tell: (() => void) | undefined;
  #hasTold = false;

  /** `tell` is called once, for the first id that two live sessions share. */
  constructor(tell: (() => void) | undefined) {
    this.#tell = tell;
  }

  add(id: string): void {
    if (this.#ids.has(id) && !this.#hasTold) {
      this.#hasTold = true;
      this.#tell?.();
    }
    this.#ids.add(id);
  }

  delete(id: string): void {
    this.#ids.delete(id);
  }
}
