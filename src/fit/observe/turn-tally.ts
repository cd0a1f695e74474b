/** Sessions with a number of turns. */
export interface TurnCount {
  turns: number;
  sessions: number;
}

/** The most turns of a session that a scenario asks for. */
const mostTurns = 100_000;

/** Counts sessions by their turns. */
export class TurnTally {
  sessions = 0;
  /** Sessions with more turns than a scenario asks for, counted as with that many. */
  clipped = 0;
  readonly #sessions = new Map<number, number>();

  add(turns: number): void {
    this.sessions += 1;
    if (turns > mostTurns) this.clipped += 1;
    const counted = Math.min(mostTurns, Math.max(1, turns));
    this.#sessions.set(counted, (this.#sessions.get(counted) ?? 0) + 1);
  }

  /** By rising number of turns. */
  counts(): TurnCount[] {
    return [...this.#sessions].map(([turns, sessions]) => ({ turns, sessions })).sort((a, b) => a.turns - b.turns);
  }
}
