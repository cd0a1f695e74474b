/** One stored turn. */
export interface StoredTurn {
  /** From 1. */
  turn: number;
  message: string;
  response: string;
  /** Arrival of the message, ISO 8601. */
  createdAt: string;
}

export type NewTurn = Omit<StoredTurn, 'turn'>;

/** The earlier turns of an agent. */
export interface EarlierTurns {
  /** Number of turns, forgotten ones included. */
  readonly count: number;
  readonly latestMessage: string | undefined;
  /** Returns a turn by its number; `undefined` if there was none or it is forgotten. */
  at(turn: number): StoredTurn | undefined;
  /** Returns the remembered turns, in order. */
  remembered(): StoredTurn[];
}

interface ConversationLimits {
  turns: number;
  characters: number;
}

/**
 * The turns of one session, stored as JSON text, which replies contain unchanged and which takes little memory. Above the
 * limits the oldest are forgotten, but never the first, which can always be requested.
 */
export class StoredConversation implements EarlierTurns {
  readonly #limits: ConversationLimits;
  #first: string | undefined;
  readonly #rest: string[] = [];
  /** Number of turns missing between the first and the rest. */
  forgotten = 0;
  characters = 0;
  latestMessage: string | undefined;

  constructor(limits: ConversationLimits) {
    this.#limits = limits;
  }

  get count(): number {
    return (this.#first === undefined ? 0 : 1) + this.forgotten + this.#rest.length;
  }

  /** Adds the next turn, and forgets turns above the limits. */
  add({ message, response, createdAt }: NewTurn): void {
    const text = JSON.stringify({ turn: this.count + 1, message, response, createdAt } satisfies StoredTurn);
    this.characters += text.length;
    this.latestMessage = message;
    if (this.#first === undefined) this.#first = text;
    else this.#rest.push(text);
    while (this.#isOverfull()) {
      this.characters -= this.#rest.shift()?.length ?? 0;
      this.forgotten++;
    }
  }

  at(turn: number): StoredTurn | undefined {
    const text = turn === 1 ? this.#first : this.#rest[turn - 2 - this.forgotten];
    return text === undefined ? undefined : readTurn(text);
  }

  remembered(): StoredTurn[] {
    return this.#first === undefined ? [] : [this.#first, ...this.#rest].map(readTurn);
  }

  /** Returns the latest consecutive turns, as the inside of a JSON array. */
  latest(count: number): string {
    const { length } = this.#rest;
    if (this.#first === undefined || count === 0) return '';
    if (count <= length) return this.#rest.slice(length - count).join(',');
    if (this.forgotten > 0) return this.#rest.join(',');
    return length === 0 ? this.#first : `${this.#first},${this.#rest.join(',')}`;
  }

  /** Reports whether a turn must be removed; never the latest, which the reply in progress contains. */
  #isOverfull(): boolean {
    const { turns, characters } = this.#limits;
    return this.#rest.length > 1 && (this.#rest.length >= turns || this.characters > characters);
  }
}

const readTurn = (text: string): StoredTurn => JSON.parse(text) as StoredTurn;
