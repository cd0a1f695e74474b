import { journalHeaderSchema, type JournalHeader, type JournalLine } from './journal.ts';

const newestVersion = 1;

/** Reads the header of a journal; or why it has none, worded to follow the file's name. */
export function readJournalHeader(first: JournalLine | undefined): { header: JournalHeader } | { problem: string } {
  if (first === undefined) return { problem: 'is empty: the run died before it wrote its first line' };
  if (first.kind !== 'entry')
    return {
      problem: `is not a journal of chat-load, or its first line is ${first.kind === 'torn' ? 'cut off' : 'damaged'}`,
    };
  const { kind, schemaVersion } = marksOf(first.entry);
  if (kind !== 'chat-load/journal')
    return { problem: 'has lost its first line, which describes the run: without it nothing can be recovered' };
  if (schemaVersion !== newestVersion)
    return {
      problem: `is of schema version ${JSON.stringify(schemaVersion)}; this chat-load reads ${String(newestVersion)}`,
    };
  const read = journalHeaderSchema.safeParse(first.entry);
  if (read.success) return { header: read.data };
  const [issue] = read.error.issues;
  return { problem: `lacks something about the run: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}` };
}

const marksOf = (entry: unknown): { kind?: unknown; schemaVersion?: unknown } =>
  typeof entry === 'object' && entry !== null ? entry : {};
