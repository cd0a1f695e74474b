import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FileRecord } from './record.ts';
import { splitArray, splitLines } from './json-records.ts';

type Splitter = (chunks: Iterable<Buffer>) => AsyncGenerator<FileRecord[]>;

async function recordsOf(split: Splitter, chunks: readonly Buffer[]): Promise<FileRecord[]> {
  const records: FileRecord[] = [];
  for await (const piece of split(chunks)) records.push(...piece);
  return records;
}

/** Cuts a text into blocks of `size` bytes, also within a character. */
function piecesOf(text: string, size: number): Buffer[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

const valuesOf = (records: readonly FileRecord[]): unknown[] =>
  records.map((record) => ('value' in record ? record.value : record.problem));

describe('an array', () => {
  test('returns the same elements as a parser, wherever its bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue()),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(0, 2),
        async (values, size, indent) => {
          const text = `\n ${JSON.stringify(values, null, indent)} \r\n`;
          expect(valuesOf(await recordsOf(splitArray, piecesOf(text, size)))).toEqual(JSON.parse(text));
        },
      ),
    );
  });

  test('numbers its elements, and continues after one that is not JSON', async () => {
    const records = await recordsOf(splitArray, piecesOf('[{"a":1}, {bad}, "]", nope, {"b":[2,3]}]', 3));
    expect(valuesOf(records)).toEqual([{ a: 1 }, 'malformed', ']', 'malformed', { b: [2, 3] }]);
    expect(records.map(({ place }) => place)).toEqual([1, 2, 3, 4, 5]);
  });

  test.each([
    ['[{"a":1},{"b"', 'it is cut off in element 2: its end is missing'],
    ['["a', 'it is cut off in element 1: its end is missing'],
    ['[1] [2]', 'more text follows the end of its array'],
    ['[1]x', 'more text follows the end of its array'],
    ['x[1]', 'it is not one JSON array'],
    ['{"a":1}', 'it is not one JSON array'],
  ])('%s is rejected', async (text, message) => {
    await expect(recordsOf(splitArray, piecesOf(text, 2))).rejects.toThrow(message);
  });

  test('is read however deep it nests', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(await recordsOf(splitArray, piecesOf(`[${deep}, 1]`, 4096))).toHaveLength(2);
  });
});

describe('lines', () => {
  test('return the same values as a parser, wherever their bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue()),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom('\n', '\r\n'),
        async (values, size, end) => {
          const text = values.map((value) => JSON.stringify(value) + end).join('');
          expect(valuesOf(await recordsOf(splitLines, piecesOf(text, size)))).toEqual(
            JSON.parse(JSON.stringify(values)),
          );
        },
      ),
    );
  });

  test('are numbered from 1, empty ones counted; the last needs no end', async () => {
    const records = await recordsOf(splitLines, piecesOf('1\n\n  \r\n{bad\n5', 2));
    expect(records.map((record) => [record.place, 'value' in record ? record.value : record.problem])).toEqual([
      [1, 1],
      [4, 'malformed'],
      [5, 5],
    ]);
  });

  test('that are not UTF-8 are named, but never quoted', async () => {
    const records = await recordsOf(splitLines, [
      Buffer.from([0x22, 0xfc, 0x22, 0x0a]),
      Buffer.from('{"mail": ada@x.y}\n'),
    ]);
    expect(records).toEqual([
      { place: 1, problem: 'malformed', detail: 'it is not UTF-8' },
      { place: 2, problem: 'malformed', detail: expect.not.stringContaining('ada') as string },
    ]);
  });

  test('of 10 MB are kept; longer ones are counted, and reading continues', async () => {
    const long = Buffer.from(JSON.stringify('x'.repeat(10 * 1024 ** 2)) + '\n');
    const filler = Buffer.alloc(1024 ** 2, 0x78);
    const tooLong = [...Array.from({ length: 65 }, () => filler), Buffer.from('\n1\n')];
    const records = await recordsOf(splitLines, [long, ...tooLong]);
    expect(records.map((record) => ('problem' in record ? record.detail : typeof record.value))).toEqual([
      'string',
      'it has 65 MB',
      'number',
    ]);
  });
});
