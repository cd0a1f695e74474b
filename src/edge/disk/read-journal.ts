import { ChatLoadError } from '../../base/errors.ts';
import { fileReason } from '../../base/file-reason.ts';
import { openStream } from '../open-file.ts';
import type { JournalLine } from '../../result/journal/journal.ts';
import { decodeLine } from './journal-line.ts';

const newline = 0x0a;
/** No line of ours is nearly as long: the rest of one that is longer is not even kept. */
const longestLine = 64 * 1024 * 1024;

/** Reads a journal line by line, so that its length does not matter. Throws a usage error when the file cannot be read. */
export async function* readJournal(file: string): AsyncGenerator<JournalLine> {
  try {
    yield* splitJournal(openStream(file));
  } catch (thrown) {
    throw new ChatLoadError('usage', {
      message: `${file} cannot be read: ${fileReason(thrown)}.`,
      hint: 'Name the .ndjson file that a run left in its folder.',
      cause: thrown,
    });
  }
}

/** The lines of a journal that comes in pieces of any size. */
async function* splitJournal(chunks: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<JournalLine> {
  const open = new OpenLine();
  let before = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      open.add(chunk.subarray(from, end));
      yield lineOf(++before, open.take(), 'damaged');
      from = end + 1;
    }
    open.add(chunk.subarray(from));
    if (before === 0 && open.length > longestLine)
      throw new Error('it is not a journal of chat-load, because its first line is longer than 64 MB');
  }
  if (open.length > 0) yield lineOf(before + 1, open.take(), 'torn');
}

/** A line whose end has not been seen yet. */
class OpenLine {
  length = 0;
  #parts: Buffer[] = [];

  add(part: Buffer): void {
    this.length += part.length;
    if (this.length > longestLine) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  /** Empty for one that was too long. */
  take(): Buffer {
    const whole = Buffer.concat(this.#parts);
    this.#parts = [];
    this.length = 0;
    return whole;
  }
}

function lineOf(line: number, bytes: Buffer, otherwise: 'damaged' | 'torn'): JournalLine {
  const decoded = decodeLine(bytes);
  return decoded === undefined ? { line, kind: otherwise } : { line, kind: 'entry', entry: decoded.entry };
}
