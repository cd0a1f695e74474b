/** The turns of a session that the agent may list more than once: an attempt failed whose work may have been done. */
export class AmbiguousTurns {
  readonly #turns = new Map<number, { attempts: number; repeatsReported: number }>();

  add(turn: number): void {
    const known = this.#turns.get(turn);
    if (known === undefined) this.#turns.set(turn, { attempts: 1, repeatsReported: 0 });
    else known.attempts++;
  }

  /** How often, at most, the turn may be there beyond once. */
  of(turn: number): number {
    return this.#turns.get(turn)?.attempts ?? 0;
  }

  /** How many repeats of a turn have not been reported yet; marks them as reported. */
  report(turn: number, repeats: number): number {
    const known = this.#turns.get(turn);
    if (known === undefined || repeats <= known.repeatsReported) return 0;
    const fresh = repeats - known.repeatsReported;
    known.repeatsReported = repeats;
    return fresh;
  }
}
