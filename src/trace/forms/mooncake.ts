import { likelyTimes, type LikelyTimes } from '../likely-times.ts';
import { unitTimes } from '../read-time.ts';
import type { TraceColumns, TraceRow } from '../trace.ts';
import { fieldAt, lengthIn, objectIn, readObject, sessionIn, timeIn, tokensIn, type TraceForm } from './form.ts';

/**
 * Reads Mooncake: JSONL with `timestamp` in milliseconds, `input_length`, `output_length` and `hash_ids`. Later tools add
 * `session_id`, and `delay` (after the reply before) instead of a timestamp in later turns; each field has a second
 * name. Other units of `timestamp` are detected.
 */
export const mooncake: TraceForm = ({ lines, columns = {} }) => {
  const first = objectIn(lines[0]);
  if (first === undefined || !names.input.some((name) => name in first)) return undefined;
  if (!names.at.some((name) => name in first)) return undefined;
  const { at, unit } = columns;
  const likely = likelyTimes(
    lines.map((line) => {
      const fields = objectIn(line);
      return fields && (at === undefined ? fieldOf(fields, 'at') : fieldAt(fields, at));
    }),
    unit,
  );
  // Without any time, all lines are malformed.
  const times: LikelyTimes | undefined = likely ?? (at === undefined ? unitTimes('ms') : undefined);
  if (times === undefined) return undefined;
  return {
    form: 'mooncake',
    times: times.format,
    unitDoubt: times.doubt,
    hasHeader: false,
    isUnordered: false,
    read: (line) => [rowOf(readObject(line), columns, times)],
  };
};

const names = {
  at: ['timestamp', 'created_time'],
  input: ['input_length', 'input_tokens'],
  output: ['output_length', 'output_tokens'],
} as const;

type Fields = Readonly<Record<string, unknown>>;

const fieldOf = (line: Fields, of: keyof typeof names): unknown => line[names[of].find((name) => name in line) ?? ''];

function rowOf(line: Fields, columns: TraceColumns, times: LikelyTimes): TraceRow {
  const named = (name: string | undefined, own: unknown): unknown => (name === undefined ? own : fieldAt(line, name));
  const session = sessionIn(named(columns.session, line['session_id'] ?? line['conversation_id']));
  const at = named(columns.at, fieldOf(line, 'at')) ?? undefined;
  const waitMs = waitIn(line, times);
  const waits = at === undefined && waitMs !== null && session !== null;
  const { inputTokens = 'input_length', outputTokens = 'output_length' } = columns;
  const input = tokensIn(named(columns.inputTokens, fieldOf(line, 'input')), inputTokens);
  return {
    atMs: waits ? null : timeIn(times.read, at, columns.at ?? 'timestamp'),
    session,
    inputTokens: input,
    outputTokens: tokensIn(named(columns.outputTokens, fieldOf(line, 'output')), outputTokens),
    replyMs: null,
    waitMs: waits ? waitMs : null,
    doubt: hashDoubt(line['hash_ids'], input, inputTokens),
  };
}

/** `delay` is in seconds if the times are, otherwise in milliseconds, like `delay_ms`. */
const waitIn = (line: Fields, { unit }: LikelyTimes): number | null =>
  'delay' in line ? lengthIn(line['delay'], unit === 's' ? 1000 : 1) : lengthIn(line['delay_ms'], 1);

/** Number of tokens of a block that one hash id identifies. */
const blockTokens = 512;

/** Describes more hash ids than the input has blocks. */
function hashDoubt(ids: unknown, input: number | null, name: string): string | undefined {
  if (!Array.isArray(ids) || input === null) return undefined;
  const blocks = Math.ceil(input / blockTokens);
  return ids.length > blocks
    ? `has ${String(ids.length)} hash_ids, but its ${name} of ${String(input)} has ${blocks === 1 ? '1 block' : `${String(blocks)} blocks`} of ${String(blockTokens)} tokens`
    : undefined;
}
