import { keyOf, randomOf } from '../base/random.ts';
import type { CountedConversations } from '../dataset/conversation.ts';
import { systemText, userTurns } from '../dataset/user-turns.ts';

/** How sessions take conversations. */
interface Taking {
  order: 'random' | 'inOrder';
  /** The most turns that a session has; `undefined`: all of the conversation. */
  most: number | undefined;
  /** Whether what the agent was told in the conversation is told again. */
  sendsSystem: boolean;
}

/** What the user says in a conversation, and what the agent was told. */
interface Texts {
  turns: readonly string[];
  system: string | undefined;
  characters: number;
}

const orderKey = keyOf('messages.fromFile');

/** Characters of conversations that are kept, as sessions under way ask for one turn after another. */
const mostCharacters = 8_000_000;

/** The conversations of a file as sessions take them: which one is known from seed and number alone. */
export class Conversations {
  readonly source: CountedConversations;
  readonly #taking: Taking;
  /** The turns of every session, texts from the start again; `undefined`: those of the conversation. */
  readonly #turns: number | undefined;
  /** Those that were asked for last come last. */
  readonly #kept = new Map<number, Texts>();
  #characters = 0;

  constructor(source: CountedConversations, taking: Taking, turns?: number) {
    this.source = source;
    this.#taking = taking;
    this.#turns = turns;
  }

  /** The same with so many turns in every session. */
  withTurns(turns: number): Conversations {
    return new Conversations(this.source, this.#taking, turns);
  }

  /** The index of the conversation that a session takes. */
  indexOf(seed: number, session: number): number {
    const { count } = this.source;
    if (this.#taking.order === 'inOrder') return (session - 1) % count;
    return Math.floor(randomOf(seed, orderKey, session)() * count);
  }

  turnsOf(index: number): number {
    return this.#turns ?? Math.min(this.#taking.most ?? Infinity, this.source.turnsAt(index));
  }

  textOf(index: number, turn: number): string {
    const { turns } = this.#read(index);
    return turns[(turn - 1) % turns.length] ?? '';
  }

  systemOf(index: number): string | undefined {
    return this.#taking.sendsSystem ? this.#read(index).system : undefined;
  }

  #read(index: number): Texts {
    const kept = this.#kept.get(index);
    const texts = kept ?? textsOf(this.source.at(index));
    if (kept === undefined) this.#makeRoom(texts.characters);
    else this.#kept.delete(index);
    this.#kept.set(index, texts);
    return texts;
  }

  #makeRoom(characters: number): void {
    this.#characters += characters;
    for (const [index, texts] of this.#kept) {
      if (this.#characters <= mostCharacters) return;
      this.#kept.delete(index);
      this.#characters -= texts.characters;
    }
  }
}

function textsOf(conversation: ReturnType<CountedConversations['at']>): Texts {
  const turns = userTurns(conversation);
  const system = systemText(conversation);
  const characters = turns.reduce((sum, text) => sum + text.length, system?.length ?? 0);
  return { turns, system, characters: characters + bookkeeping };
}

/** What an entry takes beside its texts. */
const bookkeeping = 200;
