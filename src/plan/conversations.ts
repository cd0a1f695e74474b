import { keyOf, randomOf } from '../base/random.ts';
import { type CountedConversations, systemText, userTurns } from '../dataset/conversation.ts';
import type { ResolvedTurns } from '../scenario/turn-options.ts';

/** Options of sessions that take conversations from a file. */
interface Taking {
  order: 'random' | 'inOrder';
  /** Maximum number of turns of a session; `undefined`: all of the conversation. */
  max: number | undefined;
  /** True if the conversation's system message is sent. */
  sendsSystem: boolean;
}

/** The user's messages of a conversation, and its system message. */
interface Texts {
  turns: readonly string[];
  system: string | undefined;
  characters: number;
}

const orderKey = keyOf('messages.fromFile');

/** Maximum number of cached characters: active sessions read one turn after another. */
const maxCharacters = 8_000_000;

/** Assigns the conversations of a file to sessions, from seed and number alone. */
export class Conversations {
  readonly source: CountedConversations;
  readonly #taking: Taking;
  /** The number of turns of every session, repeating the messages if needed; `undefined`: the conversation's own. */
  readonly #turns: number | undefined;
  /** Most recently used conversations are last. */
  readonly #kept = new Map<number, Texts>();
  #characters = 0;

  constructor(source: CountedConversations, taking: Taking, turns?: number) {
    this.source = source;
    this.#taking = taking;
    this.#turns = turns;
  }

  /** Returns the same conversations with this number of turns in every session. */
  withTurns(turns: number): Conversations {
    return new Conversations(this.source, this.#taking, turns);
  }

  /** Returns the index of a session's conversation. */
  indexOf(seed: number, session: number): number {
    const { count } = this.source;
    if (this.#taking.order === 'inOrder') return (session - 1) % count;
    return Math.floor(randomOf(seed, orderKey, session)() * count);
  }

  turnsOf(index: number): number {
    return this.#turns ?? Math.min(this.#taking.max ?? Infinity, this.source.turnsAt(index));
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
      if (this.#characters <= maxCharacters) return;
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

/** Size of an entry besides its texts. */
const bookkeeping = 200;

type Count = readonly [turns: number, conversations: number];
type Range = Extract<ResolvedTurns, { kind: 'weights' }>['ranges'][number];

/** Above this count, numbers are grouped. */
const maxRanges = 100;

/** Returns the distribution of turns for conversations with known numbers of turns, up to a bound. Its mean is exact. */
export function conversationTurns(counts: readonly Count[], max = Infinity): ResolvedTurns {
  const bounded = boundCounts(counts, max);
  const [only] = bounded;
  if (bounded.length === 1 && only !== undefined) return { kind: 'constant', turns: only[0] };
  const ranges = bounded.length <= maxRanges ? bounded : groupCounts(bounded);
  return { kind: 'weights', ranges: ranges.map(([turns, weight]): Range => ({ min: turns, max: turns, weight })) };
}

function boundCounts(counts: readonly Count[], max: number): Count[] {
  const within = counts.filter(([turns]) => turns < max);
  const beyond = counts.reduce((sum, [turns, count]) => (turns < max ? sum : sum + count), 0);
  return beyond === 0 ? within : [...within, [Math.min(max, counts.at(-1)?.[0] ?? 1), beyond]];
}

/** Groups neighbours; a group becomes its two ends, with weights that keep its mean. */
function groupCounts(counts: readonly Count[]): Count[] {
  const size = Math.ceil(counts.length / (maxRanges / 2));
  const starts = Array.from({ length: Math.ceil(counts.length / size) }, (_, group) => group * size);
  return starts.flatMap((start) => twoEnds(counts.slice(start, start + size)));
}

function twoEnds(group: readonly Count[]): Count[] {
  const low = group[0]?.[0] ?? 1;
  const high = group.at(-1)?.[0] ?? low;
  const total = group.reduce((sum, [, count]) => sum + count, 0);
  if (low === high) return [[low, total]];
  const above = group.reduce((sum, [turns, count]) => sum + (count * (turns - low)) / (high - low), 0);
  return [
    [low, total - above],
    [high, above],
  ];
}
