/** How conversations of a file are taken. */
export interface ConversationFileOptions {
  /** Which conversation a session takes: drawn by seed, with replacement, or session n the n-th of the file, cyclically. Default `'random'`. */
  order?: 'random' | 'inOrder';
  /** The most lines that may be malformed and are left out: a number, or a share of the lines. Default `'1%'`, or one line. */
  maxMalformed?: number | `${number}%`;
  /** Whether a conversation's system message is sent, where the protocol has a place for it and `target.instructions` is not given. Default `'send'`. */
  system?: 'send' | 'omit';
}

/** Conversations in a file beside the scenario: made by `fromFile`. */
export interface ConversationFile extends ConversationFileOptions {
  readonly file: string;
}

/**
 * Takes the messages from a file of conversations, JSONL or CSV: `messages: fromFile('talks.jsonl')`. A session says what
 * the user says in one of them. The path is relative to the scenario; nothing is read before the run.
 */
export function fromFile(file: string, options: ConversationFileOptions = {}): ConversationFile {
  return { file, ...options };
}
