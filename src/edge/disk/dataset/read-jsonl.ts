import { isUtf8 } from 'node:buffer';
import { scanConversation } from '../../../dataset/scan-conversation.ts';
import type { FoundConversations } from './found-conversations.ts';
import { LineSplitter, mostLineBytes, type Line } from './line-splitter.ts';
import { checkLine, isBlank } from './parse-line.ts';

/** Takes a file of one conversation a line, chunk by chunk. */
export function readJsonl(found: FoundConversations): LineSplitter {
  return new LineSplitter((line) => takeLine(line, found));
}

function takeLine({ number: line, offset, bytes, isLast }: Line, found: FoundConversations): void {
  if (bytes !== undefined && isBlank(bytes)) return;
  found.lines += 1;
  if (bytes === undefined) return found.skip(line, tooLong);
  if (!isUtf8(bytes)) return found.skip(line, 'it is not UTF-8');
  const place = { offset, bytes: bytes.length, line };
  // Bytes as characters: texts do not matter here.
  const scanned = scanConversation(bytes.toString('latin1'));
  if (scanned !== undefined) return found.addCounted(scanned, place);
  const read = checkLine(bytes);
  if (typeof read !== 'string') found.add(read, place);
  else found.skip(line, isLast && read === 'it is not JSON' ? cutOff : read);
}

const tooLong = `it is longer than ${String(mostLineBytes / 1024 ** 2)} MB`;
const cutOff = 'it is not JSON: the file ends in the middle of it, or it is damaged';
