import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, afterAll } from 'vitest';
import { makeFolder } from '../../../test/support/command.ts';
import { finishedRun, resultOf } from '../../../test/support/synthetic-result.ts';
import { playedBy, workersOf } from '../../../test/support/synthetic-workers.ts';
import { ChatLoadError } from '../../base/errors.ts';
import { encodeLine } from './lines.ts';
import { resultKind, resultSchema } from '../../result/result.ts';
import { resultFactsSchema } from '../../compare/document/group-of.ts';
import { readResultFacts, readOther, readResult } from './read-result.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';

const result = resultOf(finishedRun({ sessions: 20 }));
const whole = JSON.stringify(result, null, 1);
const journal = [{ kind: 'chat-load/journal', schemaVersion: 1 }, { kind: 'end' }].map(encodeLine).join('');

async function fileOf(text: string): Promise<string> {
  const file = join(await makeFolder(), 'a result.json');
  await writeFile(file, text);
  return file;
}

async function problemOf(text: string): Promise<ChatLoadError> {
  const thrown: unknown = await readResult(await fileOf(text)).catch((error: unknown) => error);
  if (!(thrown instanceof ChatLoadError)) throw new Error('it was read, or failed in another way', { cause: thrown });
  return thrown;
}

describe('a result is read', () => {
  test('with its shards', async () => {
    const ofShards = playedBy(result, workersOf(3, [{ lost: { atMs: 1200, reason: 'silent' }, startLateMs: null }]));
    expect(await readResult(await fileOf(JSON.stringify(ofShards)))).toEqual(ofShards);
  });

  test('without unknown fields', async () => {
    const newer = { ...result, colour: 'blue', run: { ...result.run, weather: 'fine' } };
    expect(await readResult(await fileOf(JSON.stringify(newer)))).toEqual(result);
  });
});

describe('a file that is not a result is described, with a remedy', () => {
  test.each([
    ['an empty file', '', /a result\.json is empty\.$/],
    ['one that was cut off', whole.slice(0, whole.length / 2), /a result\.json is cut off: its end is missing\.$/],
    ['text', 'BASE HEAD', /a result\.json is not JSON \(.+\)\.$/],
    ['another document of ours', '{"kind":"chat-load/comparison"}', /is a comparison of chat-load, not a result\.$/],
    ['a foreign document', '{"metrics":{}}', /is not a result of chat-load\.$/],
    ['a journal', journal, /a result\.json is the journal of a run, not its result\.$/],
    ['a list', '[]', /is not a result of chat-load\.$/],
    [
      'a result without a part',
      JSON.stringify({ ...result, rates: { ...result.rates, measuredMs: 'long' } }),
      /is not a whole result: rates\.measuredMs: .+\.$/,
    ],
  ])('%s', async (_, text, message) => {
    const problem = await problemOf(text);
    expect(problem.message).toMatch(message);
    expect(problem.code).toBe('usage');
    expect(problem.hint).not.toBe('');
  });

  test('a folder, and a file that is not there', async () => {
    const folder = await makeFolder();
    await expect(readResult(folder)).rejects.toThrow(`${folder} cannot be read: it is a folder.`);
    await expect(readResult(join(folder, 'none.json'))).rejects.toThrow(
      'none.json cannot be read: no such file or folder.',
    );
  });
});

describe('a result of another version cannot be compared', () => {
  test.each([
    [2, 'version 2; this chat-load reads 1.', 'upgrade'],
    [0, 'version 0; this chat-load reads 1.', 'measure again'],
    [undefined, 'version unknown; this chat-load reads 1.', 'measure again'],
    ['1', 'version unknown; this chat-load reads 1.', 'measure again'],
  ])('%s', async (schemaVersion, message, hint) => {
    const problem = await problemOf(JSON.stringify({ ...result, schemaVersion }));
    expect(problem.code).toBe('not_comparable');
    expect(problem.message).toContain(message);
    expect(problem.hint).toContain(hint);
  });
});

test('a result has the same facts read in full or in part', async () => {
  const file = await fileOf(whole);
  expect(readResultFacts(file)).toEqual({ part: resultFactsSchema.parse(result) });
  expect(readOther(file, resultKind, resultSchema)).toEqual({ part: result });
});

test('a folder in place of a result is rejected, and its newest results are named', async () => {
  const folder = await makeFolder();
  for (const [age, name] of ['a', 'b', 'c', 'd'].entries()) {
    const file = join(folder, `${name}.json`);
    await writeFile(file, JSON.stringify(result));
    await utimes(file, 1000 - age, 1000 - age);
  }
  await writeFile(join(folder, 'other.json'), '{}');
  const named = ['a', 'b', 'c'].map((name) => join(folder, `${name}.json`)).join(', ');
  await expect(readResult(folder)).rejects.toMatchObject({
    message: `${folder} cannot be read: it is a folder.`,
    hint: `Name a result file in it: the newest are ${named}.`,
  });
  await expect(readResult(await makeFolder())).rejects.toMatchObject({
    hint: 'Name a result file, as chat-load run writes it.',
  });
});

const folder = mkdtempSync(join(tmpdir(), 'heads-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(text: string): string {
  const path = join(folder, 'result.json');
  writeFileSync(path, text);
  return path;
}

const synthetic = resultOf(finishedRun({ sessions: 60 }));
/** With text that could be mistaken for a key. */
const unusual = {
  ...synthetic,
  run: { ...synthetic.run, label: '\n "intervals": [ and "validity": {} \\n "x' },
};
const text = `${JSON.stringify(unusual, null, 1)}\n`;
const facts = resultFactsSchema.parse(unusual);

describe('the run description of a result', () => {
  test('equals the parsed document', () => {
    expect(readResultFacts(file(text))).toEqual({ part: facts });
  });

  /** Not readable by a parser. */
  const withOddIntervals = (whole: string): string =>
    `${whole.slice(0, whole.indexOf('\n "intervals": ['))}\n "intervals": [ no JSON\n ],\n "examples": []\n}\n`;

  test('is read without reading the intervals', () => {
    expect(readResultFacts(file(withOddIntervals(text)))).toEqual({ part: facts });
  });

  test.each([
    ['in one line', JSON.stringify(unusual)],
    ['with another indent', JSON.stringify(unusual, null, 4)],
    ['with lines that end as on Windows', text.replaceAll('\n', '\r\n')],
    ['with keys in another order', JSON.stringify(Object.fromEntries(Object.entries(unusual).reverse()), null, 1)],
  ])('is read from another layout: %s', (_, other) => {
    expect(readResultFacts(file(other))).toEqual({ part: facts });
  });

  test('may be larger than the first buffer', () => {
    const remedy = 'x'.repeat(900_000);
    const reason = {
      code: 'sessions_dropped',
      severity: 'degraded',
      message: 'm',
      remedy,
      blame: 'generator',
    } as const;
    const large = { ...unusual, validity: { verdict: 'degraded', reasons: [reason] } } as const;
    expect(readResultFacts(file(withOddIntervals(JSON.stringify(large, null, 1))))).toEqual({
      part: resultFactsSchema.parse(large),
    });
    expect(readResultFacts(file(text))).toEqual({ part: facts });
  });
});

describe('an unusable file', () => {
  const withoutTarget = Object.fromEntries(Object.entries(unusual).filter(([key]) => key !== 'target'));
  test.each([
    ['cut off in its intervals', text.slice(0, -3000), 'is cut off: its end is missing'],
    ['cut off in its head', text.slice(0, 900), 'is cut off: its end is missing'],
    ['null', 'null', 'is not a result of chat-load'],
  ])('is a problem returned, not thrown: %s', (_, other, problem) => {
    expect(readResultFacts(file(other))).toMatchObject({ problem });
  });

  test('reports the missing part', () => {
    const reading = readResultFacts(file(JSON.stringify(withoutTarget, null, 1)));
    expect(reading).toMatchObject({ problem: expect.stringMatching(/^is not a whole result: target: /) });
    expect(readResultFacts(join(folder, 'none.json'))).toMatchObject({
      problem: expect.stringMatching(/^cannot be read: no such file/),
    });
  });

  test('is not a result if it is another document of chat-load', () => {
    expect(readResultFacts(file('{"kind": "chat-load/history"}'))).toMatchObject({ document: 'chat-load/history' });
  });
});
