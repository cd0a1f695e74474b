import { ChatLoadError } from '../../base/errors.ts';
import { fileReason } from '../../base/file-reason.ts';
import { type JournalHeader, journalHeaderSchema, type JournalLine } from '../../result/journal/journal.ts';
import { openStream } from '../open-file.ts';
import { decodeLine, type Line, LineSplitter } from './lines.ts';
import { checkDocument, type DocumentReading, marksOf } from './parse-document.ts';

/** Maximum length of a line; lines of chat-load are much shorter. */
const maxLineLength = 64 * 1024 * 1024;

/** Reads a journal of any length line by line. Throws a usage error if the file cannot be read. */
export async function* readJournal(file: string): AsyncGenerator<JournalLine> {
  const splitter = new LineSplitter(maxLineLength, { isExact: true });
  try {
    for await (const block of openStream(file) as AsyncIterable<Buffer>) {
      for (const line of splitter.push(block)) yield lineOf(line);
      if (splitter.isFirstTooLong)
        throw new Error('it is not a journal of chat-load, because its first line is longer than 64 MB');
    }
    for (const line of splitter.end()) yield lineOf(line);
  } catch (thrown) {
    throw new ChatLoadError('usage', {
      message: `${file} cannot be read: ${fileReason(thrown)}.`,
      hint: 'Name the .ndjson file that a run left in its folder.',
      cause: thrown,
    });
  }
}

function lineOf({ number: line, bytes = Buffer.alloc(0), isLast }: Line): JournalLine {
  const decoded = decodeLine(bytes);
  if (decoded !== undefined) return { line, kind: 'entry', entry: decoded.entry };
  return { line, kind: isLast ? 'torn' : 'damaged' };
}

const kind = 'chat-load/journal';

/** Reads the description of the run from the first line of a journal. */
export function readJournalHeader(first: JournalLine | undefined): DocumentReading<JournalHeader> {
  if (first === undefined) return damaged('is empty: the run died before it wrote its first line');
  if (first.kind !== 'entry') {
    const state = first.kind === 'torn' ? 'cut off' : 'damaged';
    return damaged(`is not a journal of chat-load, or its first line is ${state}`);
  }
  if (marksOf(first.entry).kind !== kind)
    return damaged('has lost its first line, which describes the run: without it nothing can be recovered');
  return checkDocument(first.entry, kind, journalHeaderSchema);
}

const damaged = (problem: string): DocumentReading<JournalHeader> => ({
  why: 'damaged',
  problem,
  hint: 'Name the .ndjson file that a run left in its folder; chat-load run removes it once the result is written.',
});
