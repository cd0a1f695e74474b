import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { finishedRun, resultOf } from '../../../test/support/synthetic-result.ts';
import { resultFactsSchema, resultHeadSchema } from '../../compare/document/result-head.ts';
import { readResultFacts, readResultHead } from './read-result-head.ts';

const folder = mkdtempSync(join(tmpdir(), 'heads-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(text: string): string {
  const path = join(folder, 'result.json');
  writeFileSync(path, text);
  return path;
}

const synthetic = resultOf(finishedRun({ sessions: 60 }));
/** With what could be taken for a key. */
const result = {
  ...synthetic,
  run: { ...synthetic.run, label: '\n "intervals": [ and "validity": {} \\n "x' },
};
const text = `${JSON.stringify(result, null, 1)}\n`;
const head = resultHeadSchema.parse(result);

describe('the head of a result', () => {
  test('is that of the whole document', () => {
    expect(readResultHead(file(text))).toEqual({ part: head });
    expect(readResultFacts(file(text))).toEqual({ part: resultFactsSchema.parse(result) });
  });

  /** Of which a parser would make nothing. */
  const withOddIntervals = (whole: string): string =>
    `${whole.slice(0, whole.indexOf('\n "intervals": ['))}\n "intervals": [ no JSON\n ],\n "examples": []\n}\n`;

  test('is read without looking at the intervals', () => {
    expect(readResultHead(file(withOddIntervals(text)))).toEqual({ part: head });
  });

  test.each([
    ['in one line', JSON.stringify(result)],
    ['with another indent', JSON.stringify(result, null, 4)],
    ['with lines that end as on Windows', text.replaceAll('\n', '\r\n')],
    ['with keys in another order', JSON.stringify(Object.fromEntries(Object.entries(result).reverse()), null, 1)],
  ])('is read from another layout: %s', (_, other) => {
    expect(readResultHead(file(other))).toEqual({ part: head });
    expect(readResultFacts(file(other))).toEqual({ part: resultFactsSchema.parse(result) });
  });

  test('may be larger than what is read at first', () => {
    const remedy = 'x'.repeat(900_000);
    const reason = { code: 'sessions_dropped', severity: 'degraded', message: 'm', remedy } as const;
    const large = { ...result, validity: { verdict: 'degraded', reasons: [reason] } } as const;
    expect(readResultHead(file(withOddIntervals(JSON.stringify(large, null, 1))))).toEqual({
      part: resultHeadSchema.parse(large),
    });
    expect(readResultHead(file(text))).toEqual({ part: head });
  });
});

describe('a file of no use', () => {
  const withoutLatency = Object.fromEntries(Object.entries(result).filter(([key]) => key !== 'latency'));
  test.each([
    ['cut off in its intervals', text.slice(0, -3000), 'is cut off: its end is missing'],
    ['cut off in its head', text.slice(0, 900), 'is cut off: its end is missing'],
    ['empty', '', 'is empty'],
    ['foreign', '{"hello": 1}', 'is not a result of chat-load'],
    ['a list', '[]', 'is not a result of chat-load'],
    ['null', 'null', 'is not a result of chat-load'],
    [
      'of another version',
      text.replace('"schemaVersion": 2', '"schemaVersion": 7'),
      'is a result of schema version 7; this chat-load reads 2',
    ],
  ])('is told, not thrown: %s', (_, other, problem) => {
    expect(readResultHead(file(other))).toEqual({ problem });
    expect(readResultFacts(file(other))).toEqual({ problem });
  });

  test('says what is missing, where something is', () => {
    const reading = readResultHead(file(JSON.stringify(withoutLatency, null, 1)));
    expect(reading).toMatchObject({ problem: expect.stringMatching(/^is not a whole result: latency: /) });
    expect(readResultHead(file('{"kind": ]}'))).toMatchObject({ problem: expect.stringMatching(/^is not JSON \(/) });
    expect(readResultHead(join(folder, 'none.json'))).toMatchObject({
      problem: expect.stringMatching(/^cannot be read: ENOENT/),
    });
  });

  test('is none that is another document of ours', () => {
    expect(readResultHead(file('{"kind": "chat-load/history"}'))).toEqual({ document: 'chat-load/history' });
  });
});
