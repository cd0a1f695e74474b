import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OpenedTrace, TracedSession, TraceReading } from '../../../trace/trace.ts';
import { openTrace } from './open-trace.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chat-load-trace-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** A fixture, or custom lines, in a separate folder. */
function place(name: string, lines?: readonly string[]): string {
  const path = join(folder, name);
  if (lines === undefined) copyFileSync(join('test/fixtures/traces', name), path);
  else writeFileSync(path, lines.join('\n'));
  return path;
}

const sessionsOf = (trace: OpenedTrace): TracedSession[] =>
  Array.from({ length: trace.count }, (_, index) => trace.at(index));

/** Sessions in short: `atMs: afterMs input>output ...`. */
const inShort = (trace: OpenedTrace): string[] =>
  sessionsOf(trace).map(({ atMs, turns }) => {
    const words = turns.map(
      ({ afterMs, inputTokens, outputTokens }) =>
        `${String(Math.round(afterMs * 1000) / 1000)} ${String(inputTokens)}>${String(outputTokens)}`,
    );
    return `${String(Math.round(atMs * 1000) / 1000)}: ${words.join(', ')}`;
  });

describe('the forms of traces', () => {
  test.each<[string, TraceReading, string, string, string[]]>([
    [
      'mooncake.jsonl',
      {},
      'mooncake',
      'milliseconds',
      ['0: 0 6758>500', '0: 0 7322>490', '3000: 0 120>20, 6000 190>12, 8500 260>9', '5500: 0 40>8'],
    ],
    [
      'burstgpt.csv',
      {},
      'burstgpt',
      'seconds',
      ['0: 0 472>18, 113000 520>276', '40000: 0 1087>230', '113500: 0 300>0'],
    ],
    ['burstgpt-1.csv', {}, 'burstgpt', 'seconds', ['0: 0 472>18', '40000: 0 1087>230', '113000: 0 417>276']],
    ['azure-2023.csv', {}, 'azure', 'ISO 8601', ['0: 0 374>44', '4314.579: 0 396>109', '60000: 0 2000>500']],
    ['azure-2024.csv', {}, 'azure', 'ISO 8601', ['0: 0 2162>5', '7.405: 0 2399>6', '990.07: 0 76>15']],
    ['spans.jsonl', {}, 'opentelemetry', 'nanoseconds', ['0: 0 100>20, 4000 150>30', '1000: 0 null>null']],
    [
      'access.log',
      {},
      'access-log',
      'the access-log format',
      ['0: 0 null>null', '2000: 0 null>null', '30000: 0 null>null'],
    ],
    [
      'access.log',
      { columns: { at: 'time', session: 'user' } },
      'access-log',
      'the access-log format',
      ['0: 0 null>null, 30000 null>null', '2000: 0 null>null'],
    ],
    [
      'own.csv',
      { columns: { at: 'when', session: 'customer', inputTokens: 'prompt tokens', outputTokens: 'Reply' } },
      'csv',
      'seconds (assumed)',
      ['0: 0 20>5, 30750 45>9', '500: 0 30>null'],
    ],
    [
      'burstgpt-1.csv',
      { columns: { at: 'Timestamp', unit: 'ms' } },
      'burstgpt',
      'milliseconds',
      ['0: 0 472>18', '40: 0 1087>230', '113: 0 417>276'],
    ],
  ])('%s with %j', async (name, reading, form, times, sessions) => {
    const trace = await openTrace(place(name), reading);
    expect(inShort(trace)).toEqual(sessions);
    expect([trace.facts.form, trace.facts.times, trace.facts.malformed.count]).toEqual([form, times, 0]);
    expect(trace.facts.requests).toBe(sessionsOf(trace).reduce((sum, { turns }) => sum + turns.length, 0));
  });
});

const mooncakeLine = (timestamp: number): string => JSON.stringify({ timestamp, input_length: 10, output_length: 5 });
const mooncakeLines = (count: number): string[] => Array.from({ length: count }, (_, index) => mooncakeLine(index));

describe('lines that cannot be read', () => {
  test('are counted and named, up to 1 % of them', async () => {
    const lines = mooncakeLines(1000);
    lines[3] = 'not JSON';
    lines[9] = '{"timestamp":"soon","input_length":1}';
    lines[10] = '{"timestamp":10,"input_length":-1}';
    lines[999] = '{"timestamp": 999, "input_le';
    const trace = await openTrace(place('trace.jsonl', lines));
    expect([trace.count, trace.facts.requests]).toEqual([996, 996]);
    expect(trace.facts.malformed).toEqual({
      count: 4,
      first: [
        { line: 4, why: 'is not JSON' },
        { line: 10, why: 'timestamp is not a time' },
        { line: 11, why: 'input_length is not a number of tokens' },
        { line: 1000, why: 'is not JSON' },
      ],
    });
  });

  test('refuse the file when they are more', async () => {
    const lines = mooncakeLines(100).map((line, index) => (index % 20 === 7 ? '[]' : line));
    await expect(openTrace(place('trace.jsonl', lines))).rejects.toThrow(
      '5 lines cannot be read: line 8 is not a JSON object, line 28',
    );
  });

  test('refuse it before its end when they are very many', async () => {
    const lines = ['Timestamp,Request tokens,Response tokens', ...Array.from({ length: 5000 }, () => '1,2')];
    await expect(openTrace(place('trace.csv', lines))).rejects.toThrow(
      '101 lines cannot be read: line 2 has 2 fields, the header 3',
    );
  });
});

describe('one JSON document', () => {
  const span = (start: number) => ({
    startTimeUnixNano: String(start * 1e9),
    attributes: [{ key: 'openinference.span.kind', value: { stringValue: 'LLM' } }],
  });
  const exported = { resourceSpans: [{ scopeSpans: [{ spans: [span(3), span(1)] }] }] };
  const requests = [0, 400, 900].map((timestamp) => ({ timestamp, input_length: 10, output_length: 5 }));

  test.each([
    ['an export over several lines', JSON.stringify(exported, null, 2), [0, 2000]],
    ['a list of exports', JSON.stringify([exported, exported]), [0, 0, 2000, 2000]],
    ['a list of requests, with a byte order mark', `\ufeff${JSON.stringify(requests, null, 1)}`, [0, 400, 900]],
  ])('is read: %s', async (_, text, starts) => {
    const trace = await openTrace(place('trace.json', [text]));
    expect(sessionsOf(trace).map(({ atMs }) => atMs)).toEqual(starts);
  });

  test.each([
    ['cut off', JSON.stringify(requests).slice(0, -5), 'it is not JSON'],
    ['unsorted', JSON.stringify(requests.toReversed()), 'element 2 is 500 ms before element 1'],
    ['empty', '[]', 'it is empty'],
  ])('is rejected if it is %s', async (_, text, problem) => {
    await expect(openTrace(place('trace.json', [text]))).rejects.toThrow(problem);
  });
});

test('doubts about a trace are facts: its unit, lines that contradict themselves, and its input tokens', async () => {
  const line = (timestamp: number, input_length: number, more: object): string =>
    JSON.stringify({ timestamp, input_length, output_length: 5, ...more });
  const lines = [
    line(0, 600, { hash_ids: [1, 2] }),
    line(0.5, 600, { hash_ids: [1, 2, 3] }),
    line(1, 100, { session_id: 'a' }),
    line(2, 100, { session_id: 'b' }),
    line(3, 150, { session_id: 'a' }),
    line(4, 50, { session_id: 'b' }),
  ];
  const { facts, endMs } = await openTrace(place('trace.jsonl', lines));
  expect(endMs).toBe(4000);
  expect(facts).toMatchObject({
    times: 'seconds (assumed)',
    unitDoubt: 'they have fractions',
    doubtful: { count: 1, first: [{ line: 2, why: expect.stringContaining('has 3 hash_ids') as string }] },
    inputs: { whole: 1, fresh: 1 },
  });
});

describe('a trace that is not sorted', () => {
  const lines = [5000, 6000, 2500, 7000].map(mooncakeLine);

  test('is rejected with the first such line, and how far it goes back', async () => {
    const opening = openTrace(place('trace.jsonl', lines));
    await expect(opening).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('it is not sorted by time: line 3 is 3.50 s before line 2') as string,
      hint: expect.stringContaining('sort: true') as string,
    });
  });

  test('is sorted on request', async () => {
    const trace = await openTrace(place('trace.jsonl', lines), { sort: true });
    expect(sessionsOf(trace).map(({ atMs }) => atMs)).toEqual([0, 2500, 3500, 4500]);
    expect([trace.lengthMs, trace.endMs]).toEqual([4500, 4500]);
  });
});

describe('a clock that jumps by more than 30 days', () => {
  const columns = { at: 'at', session: 'session' };

  test.each([false, true])('is rejected with the line of the jump, sorted: %s', async (sort) => {
    const path = place('mixed.csv', [
      'at,session',
      '1700000000,a',
      '1700000001,b',
      '1700000002000,c',
      '1700000003000,d',
    ]);
    await expect(openTrace(path, { columns, sort })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('its clock jumps: line 4 is ') as string,
      hint: expect.stringContaining('Use one unit for all times') as string,
    });
  });

  test('is elapsed time if instants are dates', async () => {
    const path = place('rare.csv', ['at,session', '2025-01-01T00:00:00Z,a', '2025-03-01T00:00:00Z,b']);
    expect((await openTrace(path, { columns })).count).toBe(2);
  });
});

describe('a file that is not a trace', () => {
  test.each<[string, string[] | undefined, TraceReading, string]>([
    ['empty', [], {}, 'it is empty'],
    ['of blank lines', ['', '  ', ''], {}, 'it is empty'],
    ['with a header alone', ['TIMESTAMP,ContextTokens,GeneratedTokens'], {}, 'it contains no request'],
    ['of another form', ['a;b;c', '1;2;3'], {}, 'its form is not known: it has the fields a, b, c'],
    ['of prose', ['Dear customer'], {}, 'its form is not known: its first line is neither CSV nor JSON'],
    ['of conversations', ['{"messages":[]}'], {}, 'it has the fields messages'],
    ['without a column', ['time,n', '1,2'], { columns: { at: 'tme' } }, "unknown column 'tme': did you mean 'time'?"],
    [
      'with a first row over lines',
      ['time,n', '1,"a', 'b"'],
      { columns: { at: 'time' } },
      'its first time is not a time',
    ],
    ['with a negative time', ['time,n', '-1,2'], { columns: { at: 'time' } }, 'nor a number from 0 on'],
    ['without times', ['time,n', 'now,2'], { columns: { at: 'time' } }, 'its first time is not a time'],
    [
      'with a session of delays',
      ['{"timestamp":0,"input_length":1}', '{"session_id":"a","delay":5,"input_length":1}'],
      {},
      'a session begins with a delay',
    ],
  ])('%s', async (_, lines, reading, words) => {
    await expect(openTrace(place('trace', lines), reading)).rejects.toThrow(words);
    expect(readdirSync(folder)).toEqual(['trace']);
  });

  test.each([
    ['compressed', gzipSync('time\n1\n'), 'it is compressed with gzip'],
    ['UTF-16', Buffer.from('\ufefftime\n1\n', 'utf16le'), 'it is UTF-16'],
  ])('%s', async (_, bytes, words) => {
    writeFileSync(join(folder, 'trace'), bytes);
    await expect(openTrace(join(folder, 'trace'), { columns: { at: 'time' } })).rejects.toThrow(words);
    expect(readdirSync(folder)).toEqual(['trace']);
  });

  test('a column by a wrong name is rejected in one sentence', async () => {
    const opening = openTrace(place('trace.csv', ['time,n', '1,2']), { columns: { at: 'tme' } });
    await expect(opening).rejects.toThrow(/did you mean 'time'\?$/);
  });

  test('a folder, or nothing', async () => {
    await expect(openTrace(folder)).rejects.toThrow('it is a folder');
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    await expect(openTrace(join(folder, 'pipe'))).rejects.toThrow('it is not a file');
    await expect(openTrace(join(folder, 'none'))).rejects.toThrow('no such file or folder');
  });
});

test('one request, and many at one instant, are valid traces', async () => {
  expect(inShort(await openTrace(place('one', [mooncakeLine(77)])))).toEqual(['0: 0 10>5']);
  const together = await openTrace(place('many', [5, 5, 5].map(mooncakeLine)));
  expect([together.count, together.lengthMs, together.endMs]).toEqual([3, 0, 0]);
});

/** Flips a bit of a time. */
function flipped(bytes: Buffer): Buffer {
  bytes.writeUInt8(bytes.readUInt8(7) ^ 0x40, 7);
  return bytes;
}

describe('the index', () => {
  const open = (reading?: TraceReading): Promise<OpenedTrace> => openTrace(join(folder, 'trace'), reading);
  const index = (): string => join(folder, 'trace.chat-load-trace');

  test('is used again until the file changes', async () => {
    place('trace', mooncakeLines(3));
    const first = await open();
    const made = readFileSync(index());
    expect(inShort(await open())).toEqual(inShort(first));
    expect(readFileSync(index()).equals(made)).toBe(true);
    appendFileSync(join(folder, 'trace'), `\n${mooncakeLine(9)}`);
    expect((await open()).count).toBe(4);
    expect((await open({ columns: { at: 'timestamp', unit: 's' } })).lengthMs).toBe(9000);
  });

  test.each<[string, () => void]>([
    ['cut off', () => truncateSync(index(), 50)],
    ['empty', () => truncateSync(index(), 0)],
    ['of other bytes', () => writeFileSync(index(), 'x'.repeat(500))],
    ['changed in one byte of a record', () => writeFileSync(index(), flipped(readFileSync(index())))],
  ])('is rebuilt if it is %s', async (_, damage) => {
    place('trace', mooncakeLines(3));
    await open();
    const before = inShort(await open());
    damage();
    expect(inShort(await open())).toEqual(before);
  });

  test('returns any session of a long trace, in any order', async () => {
    // More records than are sorted at a time: 40,000 sessions of two turns, the later sessions first in their second
    // turns.
    const count = 40_000;
    const line = (session: number, timestamp: number): string =>
      JSON.stringify({ timestamp, session_id: `s${String(session)}`, input_length: session, output_length: 1 });
    const sessions = Array.from({ length: count }, (_, session) => session);
    const lines = [
      ...sessions.map((session) => line(session, session)),
      ...sessions.map((session) => line(count - 1 - session, count + session)),
    ];
    place('trace', lines);
    const trace = await open({ columns: { unit: 'ms' } });
    expect([trace.count, trace.facts.requests, trace.endMs]).toEqual([count, 2 * count, 2 * count - 1]);
    for (const session of [0, 39_999, 17, 25_536, 20_000]) {
      const { atMs, turns } = trace.at(session);
      expect(atMs).toBe(session);
      expect(turns.map(({ inputTokens }) => inputTokens)).toEqual([session, session]);
      expect(turns[1]?.afterMs).toBe(2 * count - 1 - 2 * session);
    }
    expect(readdirSync(folder)).toEqual(['trace', 'trace.chat-load-trace']);
  });
});
