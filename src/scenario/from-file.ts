/** Options of a file of conversations. */
export interface ConversationFileOptions {
  /** Conversation of a session: drawn by seed, with replacement, or the n-th of the file for session n, cyclically. Default `'random'`. */
  order?: 'random' | 'inOrder';
  /** Maximum number of malformed lines that are skipped: a number, or a share of the lines. Default `'1%'`, or one line. */
  maxMalformed?: number | `${number}%`;
  /** `'send'` sends a conversation's system message if the protocol supports one and `target.instructions` is not set. Default `'send'`. */
  system?: 'send' | 'omit';
}

/** Conversations in a file next to the scenario: returned by `fromFile`. */
export interface ConversationFile extends ConversationFileOptions {
  readonly file: string;
}

/**
 * Takes the messages from a file of conversations, JSONL or CSV: `messages: fromFile('talks.jsonl')`. A session sends the
 * user's messages of one conversation. The path is relative to the scenario; nothing is read before the run.
 */
export function fromFile(file: string, options: ConversationFileOptions = {}): ConversationFile {
  return { file, ...options };
}
