import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { finishedRun, resultOf } from '../../../test/support/synthetic-result.ts';
import { resultFactsSchema } from '../../compare/document/group-of.ts';
import { readResultFacts } from './read-result.ts';

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
const facts = resultFactsSchema.parse(result);

describe('which run a result is of', () => {
  test('is what the whole document says', () => {
    expect(readResultFacts(file(text))).toEqual({ part: facts });
  });

  /** Of which a parser would make nothing. */
  const withOddIntervals = (whole: string): string =>
    `${whole.slice(0, whole.indexOf('\n "intervals": ['))}\n "intervals": [ no JSON\n ],\n "examples": []\n}\n`;

  test('is read without looking at the intervals', () => {
    expect(readResultFacts(file(withOddIntervals(text)))).toEqual({ part: facts });
  });

  test.each([
    ['in one line', JSON.stringify(result)],
    ['with another indent', JSON.stringify(result, null, 4)],
    ['with lines that end as on Windows', text.replaceAll('\n', '\r\n')],
    ['with keys in another order', JSON.stringify(Object.fromEntries(Object.entries(result).reverse()), null, 1)],
  ])('is read from another layout: %s', (_, other) => {
    expect(readResultFacts(file(other))).toEqual({ part: facts });
  });

  test('may be larger than what is read at first', () => {
    const remedy = 'x'.repeat(900_000);
    const reason = {
      code: 'sessions_dropped',
      severity: 'degraded',
      message: 'm',
      remedy,
      blame: 'generator',
    } as const;
    const large = { ...result, validity: { verdict: 'degraded', reasons: [reason] } } as const;
    expect(readResultFacts(file(withOddIntervals(JSON.stringify(large, null, 1))))).toEqual({
      part: resultFactsSchema.parse(large),
    });
    expect(readResultFacts(file(text))).toEqual({ part: facts });
  });
});

describe('a file of no use', () => {
  const withoutTarget = Object.fromEntries(Object.entries(result).filter(([key]) => key !== 'target'));
  test.each([
    ['cut off in its intervals', text.slice(0, -3000), 'is cut off: its end is missing'],
    ['cut off in its head', text.slice(0, 900), 'is cut off: its end is missing'],
    ['empty', '', 'is empty'],
    ['foreign', '{"hello": 1}', 'is not a result of chat-load'],
    ['a list', '[]', 'is not a result of chat-load'],
    ['null', 'null', 'is not a result of chat-load'],
    [
      'of another version',
      text.replace('"schemaVersion": 1', '"schemaVersion": 7'),
      'is a result of schema version 7; this chat-load reads 1',
    ],
  ])('is a problem returned, not thrown: %s', (_, other, problem) => {
    expect(readResultFacts(file(other))).toEqual({ problem });
  });

  test('says what is missing, where something is', () => {
    const reading = readResultFacts(file(JSON.stringify(withoutTarget, null, 1)));
    expect(reading).toMatchObject({ problem: expect.stringMatching(/^is not a whole result: target: /) });
    expect(readResultFacts(file('{"kind": ]}'))).toMatchObject({ problem: expect.stringMatching(/^is not JSON \(/) });
    expect(readResultFacts(join(folder, 'none.json'))).toMatchObject({
      problem: expect.stringMatching(/^cannot be read: there is no such file/),
    });
  });

  test('is none that is another document of ours', () => {
    expect(readResultFacts(file('{"kind": "chat-load/history"}'))).toEqual({ document: 'chat-load/history' });
  });
});
