import type { Role } from '../conversation.ts';

/** Every supported form. If a file fits two forms, the first is used; both read the same conversations. */
export const formatNames = [
  'openai',
  'anthropic',
  'sharegpt',
  'lmsys',
  'wildchat',
  'claude-export',
  'chat-load',
  'rows',
  'pairs',
] as const;
export type FormatName = (typeof formatNames)[number];

/** A conversation as in a file: roles may be out of order, messages may be empty. */
export interface RawConversation {
  id?: string | undefined;
  /** Language as stated in the file: `en`, `English`. */
  language?: string | undefined;
  messages: readonly RawMessage[];
}
export interface RawMessage {
  role: Role;
  text: string;
}

const problems = ['malformed', 'tooLong', 'otherForm', 'unknownRole', 'noUserMessage'] as const;

/** Reason why a record is not a conversation. */
export type Problem = (typeof problems)[number];

/** A conversation of a file, or the problem of a record. `place`: its line, row or element, from 1. */
export type Reading =
  | { place: number; conversation: RawConversation; /** True if earlier rows have its id. */ isScattered?: boolean }
  | { place: number; problem: Problem; detail: string };

/** A row of a table or a JSON value. */
export type Fields = Readonly<Record<string, unknown>>;

/** Reads the records of one file in order: some forms distribute a conversation over several records. */
export interface RecordReader {
  read(record: Fields, place: number): readonly Reading[];
  /** Returns the remaining readings after the last record. */
  end(): readonly Reading[];
}

/** Certainty that a record has a form; `possible`: there is evidence neither for nor against it. */
export type Fit = 'certain' | 'possible' | 'no';

/** A published form of conversations in records. */
export interface DatasetFormat {
  /** Description of a record, for people. */
  shape: string;
  /** Fields that are read; other columns of a table are skipped. */
  fields: readonly string[];
  fit(record: Fields): Fit;
  open(): RecordReader;
}

/** Thrown within a form for a record that is not a conversation. */
export class Unreadable extends Error {
  readonly problem: Problem;

  constructor(problem: Problem, detail: string) {
    super(detail);
    this.problem = problem;
  }
}

/** Returns the reader of a form in which every record is a conversation. `convert` throws `Unreadable`. */
export function recordByRecord(convert: (record: Fields) => RawConversation): () => RecordReader {
  return () => ({
    read: (record, place) => [readingOf(place, () => convert(record))],
    end: () => [],
  });
}

/** Returns the reading at a place. Rethrows errors other than `Unreadable`. */
export function readingOf(place: number, convert: () => RawConversation): Reading {
  try {
    return { place, conversation: convert() };
  } catch (thrown) {
    if (!(thrown instanceof Unreadable)) throw thrown;
    return { place, problem: thrown.problem, detail: thrown.message };
  }
}

/** Reasons for omitting a conversation: a problem, or an option of the conversion. */
export const skips = [...problems, 'duplicate', 'otherLanguage', 'tooFewTurns', 'tooManyTurns', 'notSampled'] as const;
export type Skip = (typeof skips)[number];

/** Conversations omitted for one reason; `first`: places, such as `line 12`, with details. */
export interface Left {
  count: number;
  first: { where: string; detail: string }[];
}

const maxListed = 5;

/** Counts omitted conversations by reason, and lists the first of each. */
export class SkipCounts {
  readonly #counts = new Map<Skip, Left>();

  add(reason: Skip, where: string, detail = ''): void {
    const left = this.#counts.get(reason) ?? { count: 0, first: [] };
    left.count++;
    if (left.first.length < maxListed) left.first.push({ where, detail });
    this.#counts.set(reason, left);
  }

  countOf(reason: Skip): number {
    return this.#counts.get(reason)?.count ?? 0;
  }

  /** Returns the counts, the most frequent reason first. */
  all(): readonly (Left & { reason: Skip })[] {
    return [...this.#counts].map(([reason, left]) => ({ reason, ...left })).toSorted((a, b) => b.count - a.count);
  }
}
