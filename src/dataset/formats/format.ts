import type { Role } from '../conversation.ts';

/** Every form that is read. If a file may be of two, the first is taken: they read the same of it. */
export const formatNames = [
  'openai',
  'anthropic',
  'sharegpt',
  'lmsys',
  'wildchat',
  'claude-export',
  'chat-load',
  'rows',
] as const;
export type FormatName = (typeof formatNames)[number];

/** A conversation as a file has it: its roles may be out of order, its messages empty. */
export interface RawConversation {
  id?: string | undefined;
  /** As the file says it: `en`, `English`. */
  language?: string | undefined;
  messages: readonly RawMessage[];
}
export interface RawMessage {
  role: Role;
  text: string;
}

/** Why something of a file gives no conversation. */
export type Problem = 'malformed' | 'tooLong' | 'otherForm' | 'unknownRole' | 'noUserMessage';

/** A conversation of a file, or why there is none; `place`: its line, row or element, from 1. */
export type Reading =
  | { place: number; conversation: RawConversation; /** Earlier rows have its id. */ isScattered?: boolean }
  | { place: number; problem: Problem; detail: string };

/** A row of a table or a value of a file of JSON. */
export type Fields = Readonly<Record<string, unknown>>;

/** Reads the records of one file in their order: some forms spread a conversation over several. */
export interface RecordReader {
  read(record: Fields, place: number): readonly Reading[];
  /** What is left when there are no more. */
  end(): readonly Reading[];
}

/** Whether a record is of a form; `possible`: it has nothing that says so, and nothing that speaks against it. */
export type Fit = 'certain' | 'possible' | 'no';

/** A published form of conversations in records. */
export interface DatasetFormat {
  /** What a record looks like, for people. */
  shape: string;
  /** The fields of a record that it reads: of a table, no others are read. */
  fields: readonly string[];
  fit(record: Fields): Fit;
  open(): RecordReader;
}

/** Why a record cannot be read, as what is thrown within a form. */
export class Unreadable extends Error {
  readonly problem: Problem;

  constructor(problem: Problem, detail: string) {
    super(detail);
    this.problem = problem;
  }
}

/** The reader of a form in which every record is a conversation. `convert` throws `Unreadable`. */
export function recordByRecord(convert: (record: Fields) => RawConversation): () => RecordReader {
  return () => ({
    read: (record, place) => [readingOf(place, () => convert(record))],
    end: () => [],
  });
}

/** What was read at a place. Passes on what is thrown, except for `Unreadable`. */
export function readingOf(place: number, convert: () => RawConversation): Reading {
  try {
    return { place, conversation: convert() };
  } catch (thrown) {
    if (!(thrown instanceof Unreadable)) throw thrown;
    return { place, problem: thrown.problem, detail: thrown.message };
  }
}

const unwanted = ['duplicate', 'otherLanguage', 'tooFewTurns', 'tooManyTurns', 'notSampled'] as const;

/** Why a conversation was not taken: it could not be read, or was not asked for. */
export const skips = [
  'malformed',
  'tooLong',
  'otherForm',
  'unknownRole',
  'noUserMessage',
  ...unwanted,
] as const satisfies readonly (Problem | (typeof unwanted)[number])[];
export type Skip = (typeof skips)[number];

/** What was left out for one reason. */
export interface Left {
  count: number;
  /** Where, the first few: `line 12`, and what was wrong there. */
  first: { where: string; detail: string }[];
}

const maxListed = 5;

/** Counts what is left out, by reason, and names the first of each. */
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

  /** By reason, the most frequent first. */
  all(): readonly (Left & { reason: Skip })[] {
    return [...this.#counts].map(([reason, left]) => ({ reason, ...left })).toSorted((a, b) => b.count - a.count);
  }
}
