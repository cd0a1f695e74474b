/** One turn as the service remembers it. */
export interface StoredTurn {
  /** From 1. */
  turn: number;
  message: string;
  response: string;
  /** ISO 8601: when the message came. */
  createdAt: string;
}

export type NewTurn = Omit<StoredTurn, 'turn'>;

/** What an agent can look back on. */
export interface EarlierTurns {
  /** Turns that there have been, forgotten ones included. */
  readonly count: number;
  /** A turn by its number; `undefined` when there was none or it is forgotten. */
  at(turn: number): StoredTurn | undefined;
  /** The turns that are remembered, in order. */
  remembered(): StoredTurn[];
}

export interface ConversationLimits {
  turns: number;
  characters: number;
}

/**
 * The turns of one session. They are kept as JSON text, which replies carry as it is and which takes the least memory.
 * Beyond the limits the oldest are forgotten, but never the first: what was said first can always be asked for.
 */
export class Conversation implements EarlierTurns {
  readonly #limits: ConversationLimits;
  readonly #turns: string[] = [];
  #forgotten = 0;
  #characters = 0;

  constructor(limits: ConversationLimits) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#turns.length + this.#forgotten;
  }

  /** Turns missing between the first and the rest. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** Characters held, of which memory is made. */
  get characters(): number {
    return this.#characters;
  }

  /** Adds the next turn, and forgets what has become too much. */
  add({ message, response, createdAt }: NewTurn): void {
    const text = JSON.stringify({ turn: this.count + 1, message, response, createdAt } satisfies StoredTurn);
    this.#turns.push(text);
    this.#characters += text.length;
    while (this.#isOverfull()) {
      const [dropped = ''] = this.#turns.splice(1, 1);
      this.#characters -= dropped.length;
      this.#forgotten++;
    }
  }

  at(turn: number): StoredTurn | undefined {
    const index = turn === 1 ? 0 : turn - 1 - this.#forgotten;
    const text = turn > 1 && index < 1 ? undefined : this.#turns[index];
    return text === undefined ? undefined : (JSON.parse(text) as StoredTurn);
  }

  remembered(): StoredTurn[] {
    return this.#turns.map((text) => JSON.parse(text) as StoredTurn);
  }

  /** The latest turns as the inside of a JSON array. */
  latest(count: number): string {
    const { length } = this.#turns;
    return (length <= count ? this.#turns : this.#turns.slice(length - count)).join(',');
  }

  #isOverfull(): boolean {
    const { turns, characters } = this.#limits;
    return this.#turns.length > 2 && (this.#turns.length > turns || this.#characters > characters);
  }
}
