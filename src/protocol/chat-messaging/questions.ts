/**
 * Texts that make the reference agent show what it remembers. They may be anywhere in a message, several in
 * one; each says what the answer contains. Any other service may answer as it likes.
 */
export const questions = {
  /** Answered with the message of turn 1, in full. */
  first: 'What did I tell you first?',
  /** Answered with the message of that turn, in full. */
  inTurn: (turn: number): string => `What did I say in turn ${String(turn)}?`,
  /** Answered with every earlier message, numbered, one a line. */
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
