import type { EarlierTurns, StoredTurn } from './conversation.ts';

/** A message in a request. */
export interface SaidItem {
  from: 'user' | 'agent' | 'tool';
  text: string;
}

/** The message of a request, and the earlier turns in it. */
export interface Transcript {
  earlier: EarlierTurns;
  message: string;
  /** The result of a tool, if the request sends one. */
  toolResult: string | undefined;
}

/** Groups items into turns: each user message begins one, and results of tools belong to the current one. */
export function transcriptOf(items: readonly SaidItem[]): Transcript {
  const turns: EarlierTurn[] = [];
  for (const { from, text } of items) {
    const turn = turns.at(-1);
    if (from === 'user') turns.push({ message: text, response: '' });
    else if (from === 'agent' && turn !== undefined) turn.response += text;
  }
  const last = items.at(-1)?.from;
  const asked = last === 'agent' ? undefined : turns.pop();
  return {
    earlier: turnsOf(turns),
    message: asked?.message ?? '',
    toolResult: last === 'tool' ? resultsOf(items) : undefined,
  };
}

/** Returns earlier turns in order. */
export function turnsOf(turns: readonly EarlierTurn[]): EarlierTurns {
  const turnAt = (turn: number): StoredTurn | undefined => {
    const found = turns[turn - 1];
    return found && { turn, message: found.message, response: found.response, createdAt: '' };
  };
  return {
    count: turns.length,
    latestMessage: turns.at(-1)?.message,
    at: turnAt,
    remembered: () =>
      turns.map(({ message, response }, index) => ({ turn: index + 1, message, response, createdAt: '' })),
  };
}

/** Joins the stored turns and the turns that the request adds. */
export function joinTurns(kept: EarlierTurns, added: EarlierTurns): EarlierTurns {
  if (added.count === 0) return kept;
  return kept.count === 0 ? added : turnsOf([...kept.remembered(), ...added.remembered()]);
}

type EarlierTurn = Pick<StoredTurn, 'message' | 'response'>;

/** Returns the results at the end, as one text. */
function resultsOf(items: readonly SaidItem[]): string {
  const from = items.findLastIndex((item) => item.from !== 'tool') + 1;
  return items
    .slice(from)
    .map(({ text }) => text)
    .join(' ');
}

/** Omits the first turns of a conversation: the first remaining one is turn 1. */
export function turnsSince(all: EarlierTurns, forgotten: number): EarlierTurns {
  if (forgotten === 0) return all;
  const renumber = (turn: StoredTurn): StoredTurn => ({ ...turn, turn: turn.turn - forgotten });
  const count = Math.max(0, all.count - forgotten);
  return {
    count,
    latestMessage: count === 0 ? undefined : all.latestMessage,
    at: (turn) => {
      const found = turn >= 1 ? all.at(turn + forgotten) : undefined;
      return found && renumber(found);
    },
    remembered: () =>
      all
        .remembered()
        .filter(({ turn }) => turn > forgotten)
        .map(renumber),
  };
}

/** Returns a conversation as it was after a number of turns, whatever is added to it. */
export function turnsUntil(all: EarlierTurns, count: number): EarlierTurns {
  return {
    count,
    get latestMessage() {
      return all.at(count)?.message;
    },
    at: (turn) => (turn <= count ? all.at(turn) : undefined),
    remembered: () => all.remembered().filter(({ turn }) => turn <= count),
  };
}
