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
  /** What was said last. */
  readonly latestMessage: string | undefined;
  /** A turn by its number; `undefined` when there was none or it is forgotten. */
  at(turn: number): StoredTurn | undefined;
  /** The turns that are remembered, in order. */
  remembered(): StoredTurn[];
}

interface ConversationLimits {
  turns: number;
  characters: number;
}

/**
 * The turns of one session. They are kept as JSON text, which replies carry as it is and which takes the least memory.
 * Beyond the limits the oldest are forgotten, but never the first: it can always be asked for.
 */
export class StoredConversation implements EarlierTurns {
  readonly #limits: ConversationLimits;
  #first: string | undefined;
  readonly #rest: string[] = [];
  #forgotten = 0;
  #characters = 0;
  #latestMessage: string | undefined;

  constructor(limits: ConversationLimits) {
    this.#limits = limits;
  }

  get count(): number {
    return (this.#first === undefined ? 0 : 1) + this.#forgotten + this.#rest.length;
  }

  /** Turns missing between the first and the rest. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** The number of characters kept. */
  get characters(): number {
    return this.#characters;
  }

  get latestMessage(): string | undefined {
    return this.#latestMessage;
  }

  /** Adds the next turn, and forgets turns beyond the limits. */
  add({ message, response, createdAt }: NewTurn): void {
    const text = JSON.stringify({ turn: this.count + 1, message, response, createdAt } satisfies StoredTurn);
    this.#characters += text.length;
    this.#latestMessage = message;
    if (this.#first === undefined) this.#first = text;
    else this.#rest.push(text);
    while (this.#isOverfull()) {
      this.#characters -= this.#rest.shift()?.length ?? 0;
      this.#forgotten++;
    }
  }

  at(turn: number): StoredTurn | undefined {
    const text = turn === 1 ? this.#first : this.#rest[turn - 2 - this.#forgotten];
    return text === undefined ? undefined : readTurn(text);
  }

  remembered(): StoredTurn[] {
    return this.#first === undefined ? [] : [this.#first, ...this.#rest].map(readTurn);
  }

  /** The latest turns that follow one another, as the inside of a JSON array. */
  latest(count: number): string {
    const { length } = this.#rest;
    if (this.#first === undefined || count === 0) return '';
    if (count <= length) return this.#rest.slice(length - count).join(',');
    if (this.#forgotten > 0) return this.#rest.join(',');
    return length === 0 ? this.#first : `${this.#first},${this.#rest.join(',')}`;
  }

  /** The latest turn is never removed: it is in the reply that is being sent. */
  #isOverfull(): boolean {
    const { turns, characters } = this.#limits;
    return this.#rest.length > 1 && (this.#rest.length >= turns || this.#characters > characters);
  }
}

const readTurn = (text: string): StoredTurn => JSON.parse(text) as StoredTurn;
