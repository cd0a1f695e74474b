/** The latest value, and the latest of any other owner: enough to find one of another owner. */
export class LastTwo<Owner, Value> {
  #latest: { owner: Owner; value: Value } | undefined;
  #other: { owner: Owner; value: Value } | undefined;

  note(owner: Owner, value: Value): void {
    if (this.#latest?.owner !== owner) this.#other = this.#latest;
    this.#latest = { owner, value };
  }

  /** The latest value of another owner. */
  notOf(owner: Owner): Value | undefined {
    return (this.#latest?.owner === owner ? this.#other : this.#latest)?.value;
  }
}
