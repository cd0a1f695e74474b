import { describe, expect, test } from 'vitest';
import type { TraceColumns, TraceRow } from '../trace.ts';
import { recognizeForm } from './recognize-form.ts';

/** Returns the requests of lines, with the form recognized from the first two. */
function rowsIn(lines: readonly [string, ...string[]], columns?: TraceColumns): TraceRow[] {
  const reader = recognizeForm({ lines, columns });
  if ('problem' in reader) throw new Error(reader.problem);
  return (reader.hasHeader ? lines.slice(1) : lines).flatMap((line) => reader.read(line));
}

const log = (user: string, request: string, end = ''): string =>
  `10.0.0.1 - ${user} [10/Oct/2025:13:55:36 +0000] "${request}" 200 17${end}`;

test('a line of a log has quotes in its request, a user or none, and additional fields', () => {
  const columns = { at: 'time', session: 'user', inputTokens: '8', outputTokens: '9' };
  const lines = [log('-', String.raw`GET /a\" b HTTP/1.1`, ' 12 34'), log('ada', 'GET / HTTP/1.1', ' 5 6')] as const;
  expect(rowsIn(lines, columns)).toMatchObject([
    { session: null, inputTokens: 12, outputTokens: 34 },
    { session: 'ada', inputTokens: 5, outputTokens: 6 },
  ]);
});

test.each<[string, [string, string], TraceColumns, Partial<TraceRow>]>([
  ['an access log', [log('ada', 'GET /'), log('ada', 'GET /')], { session: 'user' }, { session: 'ada' }],
  [
    'BurstGPT',
    ['Timestamp,Request tokens,Response tokens,Elapsed time,who', '3,5,6,2,a'],
    { session: 'who' },
    { atMs: 3000, session: 'a', inputTokens: 5, outputTokens: 6, replyMs: 2000 },
  ],
  [
    'BurstGPT with times of another unit',
    ['Timestamp,Request tokens,Response tokens,Elapsed time', '3,5,6,2'],
    { unit: 'ms' },
    { atMs: 3, inputTokens: 5, replyMs: 2000 },
  ],
  [
    'BurstGPT with times of another kind',
    ['Timestamp,Request tokens,Response tokens', '1970-01-01T00:00:03Z,5,6'],
    { at: 'Timestamp' },
    { atMs: 3000, inputTokens: 5 },
  ],
  [
    'Azure',
    ['TIMESTAMP,ContextTokens,GeneratedTokens,new,user', '1970-01-01T00:00:03Z,5,6,2,a'],
    { session: 'user', inputTokens: 'new' },
    { atMs: 3000, session: 'a', inputTokens: 2, outputTokens: 6 },
  ],
  [
    'Mooncake',
    ['{"timestamp":3,"input_length":5,"output_length":6,"by":{"user":"a"}}', ''],
    { session: 'by.user' },
    { atMs: 3, session: 'a', inputTokens: 5, outputTokens: 6 },
  ],
])('a column that is named of %s takes the place of that one alone', (_, lines, columns, row) => {
  expect(rowsIn(lines[1] === '' ? [lines[0]] : lines, columns).at(-1)).toMatchObject(row);
});

test.each([
  ['a form that is not known', 'time,user', 'do not name the column of the times'],
  ['spans', '{"startTimeUnixNano":"5"}', 'do not name the column of the times'],
])('columns of %s must include the times', (_, line, problem) => {
  expect(() => rowsIn([line, line], { session: 'user' })).toThrow(problem);
});

test('a table is split by the separator that splits its header into most fields, a comma if several do', () => {
  expect(rowsIn(['at;who', '1;a,b'], { at: 'at', session: 'who' })).toMatchObject([{ atMs: 1000, session: 'a,b' }]);
  expect(rowsIn(['at,"a;b"', '1,2'], { at: 'at' })).toMatchObject([{ atMs: 1000 }]);
});

test('a reply or a wait may take no time', () => {
  const header = 'Timestamp,Session ID,Elapsed time,Request tokens,Response tokens';
  expect(rowsIn([header, '1,a,0,5,6', '2,a,-1,5,6'])).toMatchObject([{ replyMs: 0 }, { replyMs: null }]);
  const lines = ['{"timestamp":0,"session_id":"a","input_length":1}', '{"session_id":"a","delay":0,"input_length":1}'];
  expect(rowsIn(lines as [string, string])).toMatchObject([{ waitMs: null }, { atMs: null, waitMs: 0 }]);
});

test.each(['chat', 'text_completion', 'generate_content', 'execute_tool', 'invoke_agent'])('a span of %s', (name) => {
  const attributes = [{ key: 'gen_ai.operation.name', value: { stringValue: name } }];
  const span = JSON.stringify({ startTimeUnixNano: '5000000', endTimeUnixNano: '7000000', attributes });
  expect(rowsIn([span]).length).toBe(/^(?:chat|text|generate)/.test(name) ? 1 : 0);
});

test.each([
  ['more tokens than a request has', '1e8', 'is more tokens than a request has'],
  ['a negative number of tokens', '-1', 'is not a number of tokens'],
  ['a quote that goes on in the next line', '"1', 'a row is one line'],
])('%s makes a line malformed', (_, tokens, problem) => {
  expect(() => rowsIn(['Timestamp,Request tokens,Response tokens', `1,${tokens},2`])).toThrow(problem);
});

/** Attributes in OTLP's JSON. */
const attributesOf = (values: Readonly<Record<string, string | number>>): object[] =>
  Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) },
  }));

const spanOf = (values: Readonly<Record<string, string | number>>, more: object = {}): object => ({
  startTimeUnixNano: '5000000',
  endTimeUnixNano: '7000000',
  attributes: attributesOf(values),
  ...more,
});

const exportOf = (...spans: readonly object[]): string =>
  JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });

describe("OpenInference's spans", () => {
  const kind = 'openinference.span.kind';
  const [prompt, completion, total] = ['prompt', 'completion', 'total'].map((name) => `llm.token_count.${name}`) as [
    string,
    string,
    string,
  ];

  test.each(['AGENT', 'TOOL', 'CHAIN', 'RETRIEVER', 'EMBEDDING', 'RERANKER', 'GUARDRAIL', 'EVALUATOR', 'PROMPT'])(
    'of the kind %s are no model calls, whatever else they have',
    (name) => {
      expect(rowsIn([exportOf(spanOf({ [kind]: name, 'gen_ai.request.model': 'm', [prompt]: 5 }))])).toEqual([]);
    },
  );

  test.each<[string, Readonly<Record<string, string | number>>, Partial<TraceRow>]>([
    [
      'their own names',
      { [kind]: 'LLM', 'session.id': 's', [prompt]: 30, [completion]: 4, [total]: 34 },
      { atMs: 5, session: 's', inputTokens: 30, outputTokens: 4, replyMs: 2 },
    ],
    [
      'names of both conventions',
      { [kind]: 'LLM', 'gen_ai.conversation.id': 'c', 'gen_ai.usage.input_tokens': 31, [completion]: 5 },
      { session: 'c', inputTokens: 31, outputTokens: 5 },
    ],
    [
      'an empty conversation',
      { [kind]: 'llm', 'gen_ai.conversation.id': '', 'session.id': 's', [prompt]: 1 },
      { session: 's', inputTokens: 1, outputTokens: null },
    ],
    ['a total and its prompt', { [kind]: 'LLM', [prompt]: 30, [total]: 34 }, { inputTokens: 30, outputTokens: 4 }],
    ['a total and its completion', { [kind]: 'LLM', [completion]: 4, [total]: 34 }, { inputTokens: 30 }],
    ['a total alone', { [kind]: 'LLM', [total]: 34 }, { inputTokens: null, outputTokens: null }],
  ])('have %s', (_, values, row) => {
    expect(rowsIn([exportOf(spanOf(values))])).toMatchObject([row]);
  });

  test('have the names of Protocol Buffers', () => {
    const values = { [kind]: 'LLM', 'session.id': 's', [prompt]: 30 };
    const line = exportOf(spanOf(values, { traceId: 'a' }))
      .replaceAll('resourceSpans', 'resource_spans')
      .replaceAll('scopeSpans', 'scope_spans')
      .replaceAll('TimeUnixNano', '_time_unix_nano')
      .replaceAll('stringValue', 'string_value')
      .replaceAll('intValue', 'int_value');
    expect(rowsIn([line])).toMatchObject([{ atMs: 5, session: 's', inputTokens: 30, replyMs: 2 }]);
  });

  test('without a session belong to the session of their trace', () => {
    const spans = [
      spanOf({ [kind]: 'LLM', [prompt]: 3 }, { traceId: 'a' }),
      spanOf({ [kind]: 'AGENT', 'session.id': 's' }, { traceId: 'a' }),
      spanOf({ [kind]: 'LLM', [prompt]: 4 }, { traceId: 'b' }),
    ];
    expect(rowsIn([exportOf(...spans)])).toMatchObject([
      { session: 's', inputTokens: 3 },
      { session: null, inputTokens: 4 },
    ]);
  });
});

describe('Mooncake', () => {
  const line = (fields: object): string => JSON.stringify({ input_length: 600, output_length: 5, ...fields });

  test('has times in seconds if they have fractions, and its delays too', () => {
    const lines = [0, 0.5].map((timestamp) => line({ timestamp, session_id: 'a' }));
    const delays = [line({ session_id: 'a', delay: 2.5 }), line({ session_id: 'a', delay_ms: 40 })];
    expect(rowsIn([lines[0] ?? '', ...lines.slice(1), ...delays])).toMatchObject([
      { atMs: 0 },
      { atMs: 500 },
      { atMs: null, waitMs: 2500 },
      { atMs: null, waitMs: 40 },
    ]);
  });

  test('has dates, or a stated unit', () => {
    expect(rowsIn([line({ timestamp: '1970-01-01T00:00:03.5Z' })])).toMatchObject([{ atMs: 3500 }]);
    expect(rowsIn([line({ timestamp: 0.5 })], { unit: 'ms' })).toMatchObject([{ atMs: 0.5 }]);
    expect(rowsIn([line({ timestamp: 0.5 })], { at: 'timestamp', unit: 's' })).toMatchObject([{ atMs: 500 }]);
  });

  test.each([
    [512, [1], undefined],
    [513, [1, 2], undefined],
    [512, [1, 2], 'has 2 hash_ids, but its input_length of 512 has 1 block of 512 tokens'],
    [1030, [1, 2, 3, 4], 'has 4 hash_ids, but its input_length of 1030 has 3 blocks of 512 tokens'],
    [0, [1], 'has 1 hash_ids, but its input_length of 0 has 0 blocks of 512 tokens'],
  ])('%j tokens with the hash ids %j', (length, ids, doubt) => {
    expect(rowsIn([line({ timestamp: 0, input_length: length, hash_ids: ids })])[0]?.doubt).toBe(doubt);
  });
});

test.each([
  ['BurstGPT', 'Timestamp,Request tokens,Response tokens', '1790000000250', Date.UTC(2026, 8, 21, 14, 13, 20, 250)],
  ['Azure', 'TIMESTAMP,ContextTokens,GeneratedTokens', '1790000000.25', Date.UTC(2026, 8, 21, 14, 13, 20, 250)],
])('times of %s in another unit are detected', (_, header, time, atMs) => {
  expect(rowsIn([header, `${time},1,2`])).toMatchObject([{ atMs }]);
});
