/**
 * Texts that make the reference agent show its memory. They may be anywhere in a message, also several in one; each
 * comment describes the answer. Any other service may answer differently.
 */
export const questions = {
  /** Answered with the full message of turn 1. */
  first: 'What did I tell you first?',
  /** Answered with the full message of that turn. */
  inTurn: (turn: number): string => `What did I say in turn ${String(turn)}?`,
  /** Answered with every earlier message, numbered, one per line. */
  list: 'List what I said.',
  /** Answered with the number of this turn. */
  count: 'How many turns have we had?',
  /** The agent knows the code in all later turns; the latest code counts. It has no spaces. */
  remember: (code: string): string => `Remember this code: ${code}`,
  /** Answered with the code of an earlier turn. */
  recall: 'Which code did I tell you?',
  /** Answered with the tag itself. No spaces in it. */
  echo: (tag: string): string => `Repeat this tag: ${tag}`,
} as const;
