import type { TracedTurn, TraceInput, TraceInputs } from './trace.ts';

/**
 * Returns the tokens of each turn's message; `null` if they are not known. If the input of every turn contains the
 * previous input and reply, it is the whole conversation, and the message is its growth; otherwise, or if `input` is
 * `fresh`, the input is the message.
 */
export function newTokens(turns: readonly TracedTurn[], input?: TraceInput): readonly (number | null)[] {
  const grown = growthOf(turns);
  if (input === 'whole') return grown.map((tokens) => (tokens !== null && tokens < 0 ? null : tokens));
  return input === undefined && areGrowths(grown, turns) ? grown : turns.map(({ inputTokens }) => inputTokens);
}

/** Returns the likely content of the input tokens of a session; `undefined` if it has one turn, or a turn without them. */
export function inputOf(turns: readonly TracedTurn[]): TraceInput | undefined {
  if (turns.length < 2) return undefined;
  const grown = growthOf(turns);
  if (grown.includes(null)) return undefined;
  return areGrowths(grown, turns) ? 'whole' : 'fresh';
}

/** Returns the input of all sessions if most show that it is the message alone: a few sessions grow by chance. */
export function likelyInput({ whole, fresh }: TraceInputs): TraceInput | undefined {
  return fresh > whole ? 'fresh' : undefined;
}

/** Reports whether inputs are whole conversations. Without the length of the reply before, an equal input shows no growth. */
function areGrowths(grown: readonly (number | null)[], turns: readonly TracedTurn[]): boolean {
  return grown.every((tokens, index) => {
    const before = turns[index - 1];
    return tokens !== null && (before === undefined || before.outputTokens !== null ? tokens >= 0 : tokens > 0);
  });
}

/** Returns the first input, then the growth of the input beyond the previous input and reply. */
const growthOf = (turns: readonly TracedTurn[]): readonly (number | null)[] =>
  turns.map((turn, index) => {
    const before = turns[index - 1];
    if (turn.inputTokens === null || before === undefined) return turn.inputTokens;
    return before.inputTokens === null ? null : turn.inputTokens - before.inputTokens - (before.outputTokens ?? 0);
  });
