import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeFolder, runCommand, type Ended } from '../support/command.ts';
import {
  codecs,
  dictionaryOf,
  encodings,
  equalPage,
  levels,
  parquetFile,
  run,
  varint,
  type Column,
  type Page,
} from '../support/parquet-file.ts';
import { peakOf, reportPeak } from '../support/peak-memory.ts';

let folder: string;
beforeAll(async () => {
  folder = await makeFolder();
});

/** Runs the built command; `peakMb` is its peak memory. */
async function perform(words: readonly string[]): Promise<Ended & { peakMb: number }> {
  const ended = await runCommand(words, { cwd: folder, env: reportPeak });
  return { ...ended, peakMb: peakOf(ended.stderr) };
}

/** A row a message, of conversation after conversation, in pages of `pageRows` rows. */
function table(rows: number, pageRows: number, texts: readonly string[] = ['Hello']): Buffer {
  const pages = Array.from({ length: rows / pageRows }, () => equalPage(pageRows));
  const column = (name: string, ...entries: readonly string[]): Column => ({
    name,
    pages: [dictionaryOf(...entries), ...pages],
  });
  return parquetFile([column('conversation_id', 'a'), column('role', 'user'), column('content', ...texts)], rows);
}

const only = (name: string, ...pages: readonly Page[]): Buffer => parquetFile([{ name, pages }], 10);

/** Bytes of zeros, packed as one stream that is never held as a whole. */
function zeros(megabytes: number): Buffer {
  const flushed = deflateRawSync(Buffer.alloc(2 ** 20), { level: 9, finishFlush: 3 });
  return Buffer.concat([...new Array<Buffer>(megabytes).fill(flushed), deflateRawSync('')]);
}

/** A frame of Zstandard whose blocks repeat a byte, 100 KB each. */
function zstdZeros(blocks: number): Buffer {
  const block = Buffer.alloc(4);
  block.writeUIntLE((100_000 << 3) | (1 << 1), 0, 3);
  return Buffer.concat([Buffer.from('28b52ffd0058', 'hex'), ...new Array<Buffer>(blocks).fill(block)]);
}

const packed = (codec: number, bytes: Buffer, size: number): Buffer =>
  parquetFile([{ name: 'messages', codec, pages: [{ kind: 'data', values: 10, bytes, size }] }], 10);

const run400M = Buffer.concat([levels(10, 1), Buffer.from([1]), run(400_000_000, 0)]);
/** Values that each add a letter to the previous one. */
function growing(values: number): Page {
  const block = (delta: number) => Buffer.concat([varint(BigInt(delta) * 2n), Buffer.alloc(4)]);
  const numbers = (first: number, delta: number): Buffer[] => [
    ...[128n, 4n, BigInt(values), BigInt(first) * 2n].map(varint),
    ...Array.from({ length: Math.ceil((values - 1) / 128) }, () => block(delta)),
  ];
  const bytes = Buffer.concat([levels(values, 1), ...numbers(0, 1), ...numbers(1, 0), Buffer.alloc(values, 'a')]);
  return { kind: 'data', values, bytes, encoding: encodings.deltaByteArray };
}

const bombs: Record<string, () => Buffer> = {
  'sixty million rows in one page': () => table(60_000_000, 60_000_000),
  'a list in each of thirty million rows': () =>
    parquetFile(
      [
        {
          name: 'messages',
          isList: true,
          pages: [
            dictionaryOf('a'),
            {
              kind: 'data',
              values: 30_000_000,
              bytes: Buffer.concat([
                levels(30_000_000, 0),
                levels(30_000_000, 3),
                Buffer.from([1]),
                run(30_000_000, 0),
              ]),
              encoding: encodings.dictionary,
            },
          ],
        },
      ],
      30_000_000,
    ),
  'a run of 400 million values in a page of ten': () =>
    only('messages', dictionaryOf('a'), { kind: 'data', values: 10, bytes: run400M, encoding: encodings.dictionary }),
  'a run of 400 million values after an empty one': () =>
    only('messages', dictionaryOf('a'), {
      kind: 'data',
      values: 10,
      // Whoever takes the empty run for a byte reads a run of one, and then another of one.
      bytes: Buffer.concat([levels(10, 1), Buffer.from([1, 1, 2]), run(400_000_000, 0), Buffer.alloc(20)]),
      encoding: encodings.dictionary,
    }),
  'a run of 400 million levels': () =>
    only('messages', dictionaryOf('a'), {
      kind: 'data',
      values: 10,
      bytes: Buffer.concat([levels(400_000_000, 1), Buffer.from([1]), run(10, 0)]),
      encoding: encodings.dictionary,
    }),
  'a dictionary of 100 million empty texts': () =>
    parquetFile(
      [
        {
          name: 'messages',
          codec: codecs.gzip,
          pages: [
            {
              kind: 'dictionary',
              values: 100_000_000,
              bytes: Buffer.concat([gzipSync('').subarray(0, 10), zeros(400), Buffer.alloc(8)]),
              size: 400 * 2 ** 20,
            },
            equalPage(10),
          ],
        },
      ],
      10,
    ),
  'a page of 1.5 GB in gzip': () =>
    packed(codecs.gzip, Buffer.concat([gzipSync('').subarray(0, 10), zeros(1500), Buffer.alloc(8)]), 1500 * 2 ** 20),
  'a page of 10 GB in Zstandard that claims a kilobyte': () => packed(codecs.zstd, zstdZeros(100_000), 1000),
  'a page that claims 2 GB': () => packed(codecs.snappy, Buffer.from([0]), 2 ** 31 - 1),
  'a page that begins before it ends': () => only('messages', { ...equalPage(10), packedSize: -40 }),
  'values without number': () => only('messages', dictionaryOf('a'), { ...equalPage(10), values: 2 ** 31 - 1 }),
  'values that grow by a letter each, to 5 GB': () =>
    parquetFile([{ name: 'messages', pages: [growing(100_000)] }], 100_000),
  'sixteen columns of five million rows in one page each': () =>
    parquetFile(
      [
        ...'conversation_id session_id thread_id chat_id id role from sender author speaker'.split(' '),
        'content',
        'text',
        'value',
        'message',
        'body',
        'language',
      ].map((name) => ({ name, pages: [dictionaryOf('a'), equalPage(5_000_000)] })),
      5_000_000,
    ),
  'a footer of 100 MB': () =>
    parquetFile([], 10, { footer: Buffer.concat([Buffer.from('19fc80a0be8101', 'hex'), Buffer.alloc(1e8)]) }),
  'rows without number': () => parquetFile([{ name: 'messages', pages: [dictionaryOf('a'), equalPage(10)] }], 10 ** 15),
};

describe('a Parquet file that is small, and claims to be large', () => {
  test.each(Object.entries(bombs))('%s: is rejected, in bounded memory', async (name, make) => {
    const file = `${name.replaceAll(/\W/g, '-')}.parquet`;
    await writeFile(join(folder, file), make());
    const { code, stderr, peakMb } = await perform(['dataset', 'inspect', file]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${file} cannot be read`)]);
    expect(peakMb).toBeLessThan(500);
  });
});

test.each([
  ['two million rows', () => table(2_000_000, 1_000_000)],
  ['a million rows that share a text of 1 MB', () => table(1_000_000, 1_000_000, ['a'.repeat(1e6)])],
])('a conversation of %s is omitted, in bounded memory', async (name, make) => {
  const file = `${name.replaceAll(/\W/g, '-')}.parquet`;
  await writeFile(join(folder, file), make());
  const { code, stdout, peakMb } = await perform(['dataset', 'inspect', file, '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ conversations: 0, skipped: [{ reason: 'tooLong', count: 1 }] });
  expect(peakMb).toBeLessThan(500);
});
