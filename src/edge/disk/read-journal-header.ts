import { journalHeaderSchema, type JournalHeader, type JournalLine } from '../../result/journal/journal.ts';
import { checkDocument, marksOf, type DocumentReading } from './parse-document.ts';

const kind = 'chat-load/journal';

/** Reads what the first line of a journal says of the run; or why it says nothing. */
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
