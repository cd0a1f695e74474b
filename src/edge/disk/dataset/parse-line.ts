import { parseJson } from '../../../base/json.ts';
import type { Conversation } from '../../../dataset/conversation.ts';
import { readConversation } from '../../../dataset/read-conversation.ts';

/** The conversation of a line, or what is wrong with it, in words. */
export function parseLine(line: Buffer): Conversation | string {
  return parseText(line.toString('utf8'));
}

/**
 * The same where its texts do not matter, at twice the pace: bytes are taken as characters. The syntax of JSON is ASCII,
 * so what is right and what is wrong stay the same.
 */
export function checkLine(line: Buffer): Conversation | string {
  const read = parseText(line.toString('latin1'));
  return typeof read === 'string' ? parseLine(line) : read;
}

function parseText(text: string): Conversation | string {
  try {
    return readConversation(parseJson(text));
  } catch {
    return 'it is not JSON';
  }
}

const openBrace = 0x7b;

/** Whether there is nothing but white space in a line. */
export function isBlank(line: Buffer): boolean {
  return line[0] !== openBrace && line.length < 1000 && line.toString('latin1').trim() === '';
}
