import { numberIn } from '../read-time.ts';
import type { TraceColumns, TraceFormName, TraceRow } from '../trace.ts';

/** How the lines of one trace are read. */
export interface LineReader {
  readonly form: TraceFormName;
  /** How times are read, in words. */
  readonly times: string;
  /** Whether its first line names the fields. */
  readonly hasHeader: boolean;
  /** Whether its lines are written when a request ends, so that they are out of order in time by their nature. */
  readonly isUnordered: boolean;
  /** The requests of a line, none as a rule where it holds other things; throws an `Error` for one that is malformed. */
  read(line: string): readonly TraceRow[];
}

/** The beginning of a trace file, by which its form is told. */
export interface TraceHead {
  /** The first lines that are not empty, at least one. */
  lines: readonly [string, ...string[]];
  columns: TraceColumns | undefined;
}

/** Tells whether a trace has a form, and then how it is read; `undefined`: it has another. */
export type TraceForm = (head: TraceHead) => LineReader | undefined;

/** A number of tokens; `null` where there is none. Throws for what is no such number. */
export function tokensIn(value: unknown, name: string): number | null {
  if (value === undefined || value === null || value === '') return null;
  const tokens = numberIn(value);
  if (tokens === undefined || tokens < 0) throw new Error(`${name} is no number of tokens`);
  if (tokens > mostTokens) throw new Error(`${name} is more tokens than a request has`);
  return Math.round(tokens);
}

/** No model takes as many: such a column is another one, and no message of its length could be made. */
const mostTokens = 1e7;

/** The name of a session; `null` where there is none. */
export function sessionIn(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return null;
  const name = value.trim();
  return name === '' || name === '-' ? null : name;
}

/** A length of time in milliseconds; `null` where there is none. */
export function lengthIn(value: unknown, unitMs: number): number | null {
  const length = numberIn(value);
  return length === undefined || length < 0 ? null : length * unitMs;
}
