import { unitTimes } from '../read-time.ts';
import type { TraceRow } from '../trace.ts';
import { timeIn } from './csv-form.ts';
import { lengthIn, sessionIn, tokensIn, type TraceForm } from './form.ts';
import { objectIn, readObject } from './read-object.ts';

const times = unitTimes('ms');

/**
 * Mooncake: JSONL with `timestamp` in milliseconds, `input_length`, `output_length` and `hash_ids`. Later tools add
 * `session_id`, and `delay` (milliseconds after the reply before) instead of a timestamp in later turns; each field has
 * a second name.
 */
export const mooncake: TraceForm = ({ lines }) => {
  const first = objectIn(lines[0]);
  if (first === undefined || !names.input.some((name) => name in first)) return undefined;
  if (!names.at.some((name) => name in first)) return undefined;
  return {
    form: 'mooncake',
    times: times.words,
    hasHeader: false,
    isUnordered: false,
    read: (line) => [rowOf(readObject(line))],
  };
};

const names = {
  at: ['timestamp', 'created_time'],
  wait: ['delay', 'delay_ms'],
  input: ['input_length', 'input_tokens'],
  output: ['output_length', 'output_tokens'],
} as const;

function rowOf(line: Readonly<Record<string, unknown>>): TraceRow {
  const field = (of: keyof typeof names): unknown => line[names[of].find((name) => name in line) ?? ''];
  const session = sessionIn(line['session_id'] ?? line['conversation_id']);
  const at = field('at') ?? undefined;
  const waitMs = lengthIn(field('wait'), 1);
  const waits = at === undefined && waitMs !== null && session !== null;
  return {
    atMs: waits ? null : timeIn(times.read, at, 'timestamp'),
    session,
    inputTokens: tokensIn(field('input'), 'input_length'),
    outputTokens: tokensIn(field('output'), 'output_length'),
    replyMs: null,
    waitMs: waits ? waitMs : null,
  };
}
