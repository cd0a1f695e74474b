import { isObject } from '../../base/is-object.ts';
import { unitTimes } from '../read-time.ts';
import type { TraceRow } from '../trace.ts';
import { timeIn } from './csv-form.ts';
import { sessionIn, tokensIn, type TraceForm } from './form.ts';
import { objectIn, readObject } from './read-object.ts';

const times = unitTimes('ns');

/**
 * OpenTelemetry spans in OTLP's JSON, one export (`resourceSpans`) or one span a line, as the collector's file exporter
 * writes them. A request is a span of a model call by the conventions for generative AI; other spans are left out.
 */
export const openTelemetry: TraceForm = ({ lines }) => {
  const first = objectIn(lines[0]);
  if (first === undefined || !('resourceSpans' in first || 'startTimeUnixNano' in first)) return undefined;
  return {
    form: 'opentelemetry',
    times: times.words,
    hasHeader: false,
    isUnordered: true,
    read: (line) => spansIn(readObject(line)).flatMap(rowsOf),
  };
};

type Fields = Readonly<Record<string, unknown>>;

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

/** Operations that ask a model; an agent's own spans and those of its tools hold or follow these. */
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
