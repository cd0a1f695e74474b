/** Values of one kind that features add to the core, in the order of the features. Filled once, at startup. */
export class Contributions<Value> {
  #all: readonly Value[] = [];

  get all(): readonly Value[] {
    return this.#all;
  }

  fill(values: readonly Value[]): void {
    this.#all = values;
  }
}
