import { timesLike, unitTimes, type TimeReader } from '../read-time.ts';
import type { TraceColumns, TraceRow } from '../trace.ts';
import { timeIn, lengthIn, sessionIn, tokensIn, type TraceForm, fieldAt, objectIn, readObject } from './form.ts';
import { isObject } from '../../base/is-object.ts';

/**
 * Reads Mooncake: JSONL with `timestamp` in milliseconds, `input_length`, `output_length` and `hash_ids`. Later tools add
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
    times: times.format,
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

const times = unitTimes('ns');

/**
 * Reads OpenTelemetry spans in OTLP's JSON, one export (`resourceSpans`) or one span per line, as the collector's file exporter
 * writes them. A request is a span of a model call by the conventions for generative AI; other spans are omitted.
 */
export const openTelemetry: TraceForm = ({ lines }) => {
  const first = objectIn(lines[0]);
  if (first === undefined || !('resourceSpans' in first || 'startTimeUnixNano' in first)) return undefined;
  return {
    form: 'opentelemetry',
    times: times.format,
    hasHeader: false,
    isUnordered: true,
    read: (line) => spansIn(readObject(line)).flatMap(rowsOf),
  };
};

function spansIn(line: Fields): readonly Fields[] {
  if ('startTimeUnixNano' in line) return [line];
  if (!Array.isArray(line['resourceSpans'])) throw new Error('has neither resourceSpans nor startTimeUnixNano');
  const scopes = listIn(line, 'resourceSpans').flatMap((resource) => [
    ...listIn(resource, 'scopeSpans'),
    ...listIn(resource, 'instrumentationLibrarySpans'),
  ]);
  return scopes.flatMap((scope) => listIn(scope, 'spans'));
}

const listIn = (holder: Fields, name: string): readonly Fields[] => {
  const list = holder[name];
  return Array.isArray(list) ? list.filter(isObject) : [];
};

/** Operations that call a model; spans of agents and of their tools contain or follow these. */
const modelCalls = ['chat', 'text_completion', 'generate_content'];

function rowsOf(span: Fields): readonly TraceRow[] {
  const attributes = new Map(listIn(span, 'attributes').map(({ key, value }) => [key, plain(value)]));
  const operation = attributes.get('gen_ai.operation.name');
  const isModelCall =
    operation === undefined ? attributes.has('gen_ai.request.model') : modelCalls.some((call) => call === operation);
  if (!isModelCall) return [];
  const atMs = timeIn(times.read, span['startTimeUnixNano'], 'startTimeUnixNano');
  const endMs = times.read(span['endTimeUnixNano']);
  const usage = (...names: string[]): unknown =>
    names.map((name) => attributes.get(`gen_ai.usage.${name}`)).find((value) => value !== undefined);
  return [
    {
      atMs,
      session: sessionIn(attributes.get('gen_ai.conversation.id') ?? attributes.get('session.id')),
      inputTokens: tokensIn(usage('input_tokens', 'prompt_tokens'), 'gen_ai.usage.input_tokens'),
      outputTokens: tokensIn(usage('output_tokens', 'completion_tokens'), 'gen_ai.usage.output_tokens'),
      replyMs: endMs === undefined || endMs < atMs ? null : endMs - atMs,
      waitMs: null,
    },
  ];
}

function plain(value: unknown): unknown {
  if (!isObject(value)) return undefined;
  return value['stringValue'] ?? value['intValue'] ?? value['doubleValue'];
}
