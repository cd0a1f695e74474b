import { ChatLoadError, messageOf } from '../../../base/errors.ts';
import { formatMs } from '../../../base/format.ts';
import type { LineReader } from '../../../trace/forms/form.ts';
import { recognizeForm } from '../../../trace/forms/recognize-form.ts';
import { MalformedLines } from '../../../trace/malformed-lines.ts';
import { isoTimes } from '../../../trace/read-time.ts';
import type { TraceFacts, TraceReading, TraceRow } from '../../../trace/trace.ts';
import { type Line, readBlocks, readLines } from '../lines.ts';

interface Reading {
  /** As it was given, for words. */
  file: string;
  /** The open file. */
  descriptor: number;
  reading: TraceReading;
  /** Given all bytes of the file. */
  seen: (block: Buffer) => void;
  take: (row: TraceRow) => void;
}

/** Reads a trace from its start to its end and gives its requests. Throws a usage error that names the line. */
export async function readRows({ file, descriptor, reading, seen, take }: Reading): Promise<TraceFacts> {
  const rows = new RowReader(file, reading, take);
  for await (const lines of readLines(readBlocks(descriptor, seen), maxLineBytes))
    for (const line of lines) rows.read(line);
  return rows.end();
}

/** Numbers so far apart are of two units, rather than of a service that was idle. */
const maxJumpMs = 30 * 24 * 3_600_000;
const maxLineBytes = 16 * 1024 * 1024;
const tooLong = 'is longer than 16 MiB';

interface TextLine {
  number: number;
  text: string;
}

class RowReader {
  readonly #file: string;
  readonly #reading: TraceReading;
  readonly #take: (row: TraceRow) => void;
  readonly #malformed = new MalformedLines();
  /** The first lines, until the form is told by them. */
  #head: TextLine[] = [];
  #reader: LineReader | undefined;
  #lines = 0;
  #requests = 0;
  #latest = { atMs: -Infinity, line: 0 };

  constructor(file: string, reading: TraceReading, take: (row: TraceRow) => void) {
    this.#file = file;
    this.#reading = reading;
    this.#take = take;
  }

  read({ number, bytes }: Line): void {
    const text = bytes?.toString('utf8');
    if (text?.trim() === '') return;
    if (text === undefined) this.#refuseLine(number, tooLong);
    else if (this.#reader !== undefined) this.#readWith(this.#reader, { number, text });
    else {
      this.#head.push({ number, text });
      // A header and the line behind it.
      if (this.#head.length === 2) this.#recognize();
    }
  }

  end(): TraceFacts {
    if (this.#reader === undefined) this.#recognize();
    const reader = this.#reader;
    if (reader === undefined || this.#malformed.areTooMany(this.#lines, true)) throw this.#tooMany();
    if (this.#requests === 0)
      throw traceError(this.#file, {
        problem: 'there is no request in it',
        remedy: 'Give a trace with at least one request.',
      });
    return { form: reader.form, times: reader.times, requests: this.#requests, malformed: this.#malformed.found };
  }

  #recognize(): void {
    const [first, ...others] = this.#head.map(({ text }) => text);
    if (first === undefined)
      throw traceError(
        this.#file,
        this.#malformed.count > 0
          ? { problem: this.#malformed.words, remedy: 'Give a trace with a request a line.' }
          : { problem: 'it is empty', remedy: 'Give a trace with at least one request.' },
      );
    const reader = recognizeForm({ lines: [first, ...others], columns: this.#reading.columns });
    if ('problem' in reader) throw traceError(this.#file, reader);
    this.#reader = reader;
    for (const line of reader.hasHeader ? this.#head.slice(1) : this.#head) this.#readWith(reader, line);
    this.#head = [];
  }

  #readWith(reader: LineReader, { number, text }: TextLine): void {
    let rows: readonly TraceRow[];
    try {
      rows = reader.read(text);
    } catch (thrown) {
      this.#refuseLine(number, messageOf(thrown));
      return;
    }
    this.#lines += 1;
    for (const row of rows) {
      if (!reader.isUnordered) this.#checkClock(row, number, reader.times);
      this.#requests += 1;
      this.#take(row);
    }
  }

  #checkClock({ atMs }: TraceRow, line: number, times: string): void {
    if (atMs === null) return;
    const { atMs: latestMs, line: latest } = this.#latest;
    if (times !== isoTimes.words && latest > 0 && Math.abs(atMs - latestMs) > maxJumpMs)
      throw traceError(this.#file, {
        problem: `its clock jumps: line ${String(line)} is ${formatMs(Math.abs(atMs - latestMs))} ${atMs < latestMs ? 'before' : 'after'} line ${String(latest)}, with times read as ${times}`,
        remedy:
          'Give all times in one unit, stated as columns: { unit }; or cut the trace there and replay its parts. Dates in ISO 8601 may be so far apart.',
      });
    if (atMs < latestMs && this.#reading.sort !== true)
      throw traceError(this.#file, {
        problem: `it is not sorted by time: line ${String(line)} is ${formatMs(latestMs - atMs)} before line ${String(latest)}`,
        remedy:
          'Sort it by time, or let it be sorted when it is read: load: { trace, sort: true } in a scenario, --sort with fit.',
      });
    this.#latest = { atMs, line };
  }

  #refuseLine(line: number, why: string): void {
    this.#lines += 1;
    this.#malformed.add(line, why);
    if (this.#malformed.areTooMany(this.#lines, false)) throw this.#tooMany();
  }

  #tooMany(): Error {
    return traceError(this.#file, {
      problem: this.#malformed.words,
      remedy: 'Fix or remove these lines; up to 1 % of the lines of a trace are skipped and counted.',
    });
  }
}

/** What is wrong with a trace file, and what to change. */
export function traceError(file: string, { problem, remedy }: { problem: string; remedy: string }, cause?: unknown) {
  return new ChatLoadError('usage', {
    message: `The trace ${file} cannot be read: ${problem}${problem.endsWith('?') ? '' : '.'}`,
    hint: remedy,
    cause,
  });
}
