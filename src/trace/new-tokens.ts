import type { TracedTurn } from './trace.ts';

/**
 * The tokens that the message of each turn brings; `null` where the trace does not say. Where the input of every turn
 * holds that of the turn before and its reply, it is the whole context, and a message is what it has grown by; else the
 * input is the message.
 */
export function newTokens(turns: readonly TracedTurn[]): readonly (number | null)[] {
  const grown = turns.map((turn, index) => {
    const before = turns[index - 1];
    if (turn.inputTokens === null || before === undefined) return turn.inputTokens;
    return before.inputTokens === null ? null : turn.inputTokens - before.inputTokens - (before.outputTokens ?? 0);
  });
  const isContext = grown.every((tokens) => tokens !== null && tokens >= 0);
  return isContext ? grown : turns.map(({ inputTokens }) => inputTokens);
}
