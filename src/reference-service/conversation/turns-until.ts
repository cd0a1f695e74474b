import type { EarlierTurns } from './conversation.ts';

/** A conversation as it was after so many turns, whatever is added to it. */
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
