import type { Reply } from './protocol.ts';

/** Reports whether a reply has neither text that a person can see nor a tool call. */
export function isEmptyReply({ text, toolCalls }: Pick<Reply, 'text' | 'toolCalls'>): boolean {
  return isBlank(text) && (toolCalls === undefined || toolCalls.length === 0);
}

/** Reports whether a text has nothing that a person can see. */
export function isBlank(text: string): boolean {
  const first = text.charCodeAt(0);
  // Nearly all texts begin with a letter.
  return !(first > 32 && first < 127) && /^[\s\p{Cf}]*$/u.test(text);
}
