import { isUtf8 } from 'node:buffer';
import { parseJson } from '../../../base/json.ts';
import type { Conversation } from '../../../dataset/conversation.ts';
import { readConversation } from '../../../dataset/read-conversation.ts';
import { scanConversation } from '../../../dataset/scan-conversation.ts';
import { type Blocks, isBlank, type Line, readLines } from '../lines.ts';
import type { FoundConversations } from './found-conversations.ts';

/** A text of JSON must fit into one string. */
export const mostLineBytes = 256 * 1024 * 1024;

/** Reads a file of one conversation a line. */
export async function findInLines(blocks: Blocks, found: FoundConversations): Promise<null> {
  for await (const lines of readLines(blocks, mostLineBytes)) for (const line of lines) takeLine(line, found);
  return null;
}

function takeLine({ number: line, offset, bytes, isLast }: Line, found: FoundConversations): void {
  if (bytes !== undefined && isBlank(bytes)) return;
  found.lines += 1;
  if (bytes === undefined) return found.skip(line, tooLong);
  if (!isUtf8(bytes)) return found.skip(line, 'it is not UTF-8');
  const place = { offset, bytes: bytes.length, line };
  // The syntax of JSON is ASCII: bytes taken as characters give the same turns and problems at twice the pace.
  const text = bytes.toString('latin1');
  const scanned = scanConversation(text);
  if (scanned !== undefined) return found.addCounted(scanned, place);
  const quick = parseText(text);
  const read = typeof quick === 'string' ? parseLine(bytes) : quick;
  if (typeof read !== 'string') found.add(read, place);
  else found.skip(line, isLast && read === 'it is not JSON' ? cutOff : read);
}

const tooLong = `it is longer than ${String(mostLineBytes / 1024 ** 2)} MB`;
const cutOff = 'it is not JSON: the file ends in the middle of it, or it is damaged';

/** The conversation of a line, or what is wrong with it, in words. */
export function parseLine(line: Buffer): Conversation | string {
  return parseText(line.toString('utf8'));
}

function parseText(text: string): Conversation | string {
  try {
    return readConversation(parseJson(text));
  } catch {
    return 'it is not JSON';
  }
}
