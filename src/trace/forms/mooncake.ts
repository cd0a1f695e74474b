import { timesLike, unitTimes, type TimeReader } from '../read-time.ts';
import type { TraceColumns, TraceRow } from '../trace.ts';
import { timeIn } from './csv-form.ts';
import { lengthIn, sessionIn, tokensIn, type TraceForm } from './form.ts';
import { fieldAt, objectIn, readObject } from './read-object.ts';

/**
 * Mooncake: JSONL with `timestamp` in milliseconds, `input_length`, `output_length` and `hash_ids`. Later tools add
 * `session_id`, and `delay` (milliseconds after the reply before) instead of a timestamp in later turns; each field has
 * a second name.
 */
export const mooncake: TraceForm = ({ lines, columns = {} }) => {
  const first = objectIn(lines[0]);
  if (first === undefined || !names.input.some((name) => name in first)) return undefined;
  if (!names.at.some((name) => name in first)) return undefined;
  const times = timesOf(first, columns);
  if (times === undefined) return undefined;
  return {
    form: 'mooncake',
    times: times.words,
    hasHeader: false,
    isUnordered: false,
    read: (line) => [rowOf(readObject(line), columns, times)],
  };
};

const names = {
  at: ['timestamp', 'created_time'],
  wait: ['delay', 'delay_ms'],
  input: ['input_length', 'input_tokens'],
  output: ['output_length', 'output_tokens'],
} as const;

type Fields = Readonly<Record<string, unknown>>;

const fieldOf = (line: Fields, of: keyof typeof names): unknown => line[names[of].find((name) => name in line) ?? ''];

function timesOf(first: Fields, { at, unit }: TraceColumns): TimeReader | undefined {
  if (at === undefined && unit === undefined) return unitTimes('ms');
  return timesLike(at === undefined ? fieldOf(first, 'at') : fieldAt(first, at), unit);
}

function rowOf(line: Fields, columns: TraceColumns, times: TimeReader): TraceRow {
  const named = (name: string | undefined, own: unknown): unknown => (name === undefined ? own : fieldAt(line, name));
  const session = sessionIn(named(columns.session, line['session_id'] ?? line['conversation_id']));
  const at = named(columns.at, fieldOf(line, 'at')) ?? undefined;
  const waitMs = lengthIn(fieldOf(line, 'wait'), 1);
  const waits = at === undefined && waitMs !== null && session !== null;
  const { inputTokens = 'input_length', outputTokens = 'output_length' } = columns;
  return {
    atMs: waits ? null : timeIn(times.read, at, columns.at ?? 'timestamp'),
    session,
    inputTokens: tokensIn(named(columns.inputTokens, fieldOf(line, 'input')), inputTokens),
    outputTokens: tokensIn(named(columns.outputTokens, fieldOf(line, 'output')), outputTokens),
    replyMs: null,
    waitMs: waits ? waitMs : null,
  };
}
