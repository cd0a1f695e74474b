import { ChatLoadError } from '../../base/errors.ts';
import { fileReason } from '../../base/file-reason.ts';
import { openStream } from '../open-file.ts';
import type { JournalLine } from '../../result/journal/journal.ts';
import { decodeLine } from './journal-line.ts';
import { LineSplitter, type Blocks, type Line } from './lines.ts';

/** No line of ours is nearly as long: the rest of one that is longer is not even kept. */
const longestLine = 64 * 1024 * 1024;

/** Reads a journal line by line, so that its length does not matter. Throws a usage error when the file cannot be read. */
export async function* readJournal(file: string): AsyncGenerator<JournalLine> {
  try {
    yield* splitJournal(openStream(file));
  } catch (thrown) {
    throw new ChatLoadError('usage', {
      message: `${file} cannot be read: ${fileReason(thrown)}.`,
      hint: 'Name the .ndjson file that a run left in its folder.',
      cause: thrown,
    });
  }
}

/** The lines of a journal that comes in pieces of any size. */
async function* splitJournal(blocks: Blocks): AsyncGenerator<JournalLine> {
  const splitter = new LineSplitter(longestLine, { isExact: true });
  for await (const block of blocks) {
    for (const line of splitter.push(block)) yield lineOf(line);
    if (splitter.isFirstTooLong)
      throw new Error('it is not a journal of chat-load, because its first line is longer than 64 MB');
  }
  for (const line of splitter.end()) yield lineOf(line);
}

function lineOf({ number: line, bytes = Buffer.alloc(0), isLast }: Line): JournalLine {
  const decoded = decodeLine(bytes);
  if (decoded !== undefined) return { line, kind: 'entry', entry: decoded.entry };
  return { line, kind: isLast ? 'torn' : 'damaged' };
}
