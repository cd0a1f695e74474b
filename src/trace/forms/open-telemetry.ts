import { isObject } from '../../base/is-object.ts';
import { unitTimes } from '../read-time.ts';
import type { TraceRow } from '../trace.ts';
import { objectIn, readObject, sessionIn, timeIn, tokensIn, type TraceForm } from './form.ts';

type Fields = Readonly<Record<string, unknown>>;

const times = unitTimes('ns');

/**
 * Reads OpenTelemetry spans in OTLP's JSON, one export (`resourceSpans`) or one span per line, as the collector's file exporter
 * writes them. A request is a span of a model call by the conventions for generative AI or by OpenInference; other spans
 * are omitted.
 */
export const openTelemetry: TraceForm = ({ lines }) => {
  const first = objectIn(camelCased(lines[0]));
  if (first === undefined || !('resourceSpans' in first || 'startTimeUnixNano' in first)) return undefined;
  return {
    form: 'opentelemetry',
    times: times.format,
    hasHeader: false,
    isUnordered: true,
    read: (line) => callsIn(spansIn(readObject(camelCased(line)))),
  };
};

/** Returns a line with the names of OTLP's JSON: some exporters keep those of Protocol Buffers, such as `resource_spans`. */
const camelCased = (line: string): string =>
  line.replace(
    protoNames,
    (_, name: string) => `"${name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())}":`,
  );

const protoNames =
  /"(resource_spans|scope_spans|instrumentation_library_spans|trace_id|(?:start|end)_time_unix_nano|(?:string|int|double)_value)"\s*:/g;

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

type Attributes = ReadonlyMap<unknown, unknown>;

const attributesOf = (span: Fields): Attributes =>
  new Map(listIn(span, 'attributes').map(({ key, value }) => [key, plain(value)]));

/** Reports whether a span is a model call: by its kind in OpenInference, otherwise by the conventions of OpenTelemetry. */
function isModelCall(attributes: Attributes): boolean {
  const kind = attributes.get('openinference.span.kind');
  if (typeof kind === 'string') return kind.toUpperCase() === 'LLM';
  const operation = attributes.get('gen_ai.operation.name');
  if (operation === undefined) return attributes.has('gen_ai.request.model');
  return modelCalls.some((call) => call === operation);
}

const sessionOf = (attributes: Attributes): string | null =>
  sessionIn(attributes.get('gen_ai.conversation.id')) ?? sessionIn(attributes.get('session.id'));

/** Returns the model calls of one export. A call without a session belongs to the session of its trace, which often only the first span has. */
function callsIn(spans: readonly Fields[]): readonly TraceRow[] {
  const read = spans.map((span) => ({ span, attributes: attributesOf(span) }));
  const sessions = new Map<unknown, string>();
  for (const { span, attributes } of read) {
    const session = sessionOf(attributes);
    if (session !== null && !sessions.has(span['traceId'])) sessions.set(span['traceId'], session);
  }
  return read
    .filter(({ attributes }) => isModelCall(attributes))
    .map(({ span, attributes }) => ({
      ...rowOf(span, attributes),
      session: sessionOf(attributes) ?? sessions.get(span['traceId']) ?? null,
    }));
}

function rowOf(span: Fields, attributes: Attributes): Omit<TraceRow, 'session'> {
  const atMs = timeIn(times.read, span['startTimeUnixNano'], 'startTimeUnixNano');
  const endMs = times.read(span['endTimeUnixNano']);
  const [input, output] = [tokensOf(attributes, inputNames), tokensOf(attributes, outputNames)];
  const total = tokensOf(attributes, ['llm.token_count.total', 'gen_ai.usage.total_tokens']);
  return {
    atMs,
    inputTokens: input ?? restOf(total, output),
    outputTokens: output ?? restOf(total, input),
    replyMs: endMs === undefined || endMs < atMs ? null : endMs - atMs,
    waitMs: null,
  };
}

const inputNames = ['gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens', 'llm.token_count.prompt'];
const outputNames = ['gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens', 'llm.token_count.completion'];

function tokensOf(attributes: Attributes, names: readonly string[]): number | null {
  const name = names.find((each) => attributes.get(each) !== undefined);
  return name === undefined ? null : tokensIn(attributes.get(name), name);
}

const restOf = (total: number | null, part: number | null): number | null =>
  total === null || part === null || total < part ? null : total - part;

function plain(value: unknown): unknown {
  if (!isObject(value)) return undefined;
  return value['stringValue'] ?? value['intValue'] ?? value['doubleValue'];
}
