import { LongBytes } from './long-bytes.ts';
import { parseRecord, tooLong } from './parse-record.ts';
import type { FileRecord } from './record.ts';

const newline = 0x0a;

/** The records of JSON Lines, as its bytes come in; empty lines are none. */
export async function* splitLines(chunks: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<FileRecord[]> {
  const open = new LongBytes();
  let line = 0;
  for await (const chunk of chunks) {
    const records: FileRecord[] = [];
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      open.add(chunk.subarray(from, end));
      records.push(...recordOf(open, ++line));
      from = end + 1;
    }
    open.add(chunk.subarray(from));
    yield records;
  }
  yield recordOf(open, line + 1);
}

function recordOf(open: LongBytes, line: number): FileRecord[] {
  const { length, isTooLong } = open;
  const bytes = open.take();
  if (isTooLong) return [tooLong(line, length)];
  return isBlank(bytes) ? [] : [parseRecord(bytes, line)];
}

/** Nothing but white space, as a carriage return at the end of an empty line. */
const isBlank = (bytes: Buffer): boolean => bytes.length < longestBlank && bytes.toString('latin1').trim() === '';

const longestBlank = 256;
