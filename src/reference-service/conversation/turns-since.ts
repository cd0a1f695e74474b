import type { EarlierTurns, StoredTurn } from './conversation.ts';

/** A conversation without its first turns: the first remaining one is turn 1. */
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
