import { ChatLoadError, messageOf } from '../../../base/errors.ts';
import { formatMs } from '../../../base/format.ts';
import type { LineReader } from '../../../trace/forms/form.ts';
import { recognizeForm } from '../../../trace/forms/recognize-form.ts';
import { MalformedLines } from '../../../trace/malformed-lines.ts';
import { isoTimes } from '../../../trace/read-time.ts';
import type { TraceFacts, TraceReading, TraceRow } from '../../../trace/trace.ts';
import { type Line, readBlocks, readLines } from '../lines.ts';

interface Reading {
  file: string;
  opened: number;
  options: TraceReading;
  /** Called with all bytes of the file. */
  seen: (block: Buffer) => void;
  take: (row: TraceRow) => void;
}

/** Reads a trace from start to end. Throws a usage error that names the line. */
export async function readRows(reading: Reading): Promise<TraceFacts> {
  const rows = new RowReader(reading);
  for await (const lines of readLines(readBlocks(reading.opened, reading.seen), maxLineBytes))
    for (const line of lines) rows.read(line);
  return rows.end();
}

/** A larger difference means two different units rather than an idle service. */
const maxJumpMs = 30 * 24 * 3_600_000;
const maxLineBytes = 16 * 1024 * 1024;

interface TextLine {
  number: number;
  text: string;
}

class RowReader {
  readonly #reading: Reading;
  readonly #malformed = new MalformedLines();
  /** The first lines, until the form is recognized from them. */
  #head: TextLine[] = [];
  #reader: LineReader | undefined;
  #lines = 0;
  #requests = 0;
  #latest = { atMs: -Infinity, line: 0 };

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  read({ number, bytes }: Line): void {
    const text = bytes?.toString('utf8');
    if (text?.trim() === '') return;
    if (text === undefined) this.#refuseLine(number, 'is longer than 16 MiB');
    else if (this.#reader !== undefined) this.#readWith(this.#reader, { number, text });
    else {
      this.#head.push({ number, text });
      // A header and the line after it.
      if (this.#head.length === 2) this.#recognize();
    }
  }

  end(): TraceFacts {
    const { form, times } = this.#reader ?? this.#recognize();
    if (this.#malformed.areTooMany(this.#lines, true)) throw this.#tooMany();
    if (this.#requests === 0) throw this.#error('it contains no request', 'Use a trace with at least one request.');
    return { form, times, requests: this.#requests, malformed: this.#malformed.found };
  }

  #recognize(): LineReader {
    const [first, ...others] = this.#head.map(({ text }) => text);
    if (first === undefined)
      throw this.#malformed.count > 0
        ? this.#error(this.#malformed.text, 'Use a trace with one request per line.')
        : this.#error('it is empty', 'Use a trace with at least one request.');
    const reader = recognizeForm({ lines: [first, ...others], columns: this.#reading.options.columns });
    if ('problem' in reader) throw traceError(this.#reading.file, reader);
    this.#reader = reader;
    for (const line of reader.hasHeader ? this.#head.slice(1) : this.#head) this.#readWith(reader, line);
    this.#head = [];
    return reader;
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
      this.#reading.take(row);
    }
  }

  #checkClock({ atMs }: TraceRow, line: number, times: string): void {
    if (atMs === null) return;
    const { atMs: latestMs, line: latest } = this.#latest;
    if (times !== isoTimes.format && latest > 0 && Math.abs(atMs - latestMs) > maxJumpMs)
      throw this.#error(
        `its clock jumps: line ${String(line)} is ${formatMs(Math.abs(atMs - latestMs))} ${atMs < latestMs ? 'before' : 'after'} line ${String(latest)}, with times read as ${times}`,
        'Use one unit for all times, stated as columns: { unit }; or cut the trace there and replay its parts. Dates in ISO 8601 may be so far apart.',
      );
    if (atMs < latestMs && this.#reading.options.sort !== true)
      throw this.#error(
        `it is not sorted by time: line ${String(line)} is ${formatMs(latestMs - atMs)} before line ${String(latest)}`,
        'Sort it by time, or let it be sorted when it is read: load: { trace, sort: true } in a scenario, --sort with fit.',
      );
    this.#latest = { atMs, line };
  }

  #refuseLine(line: number, why: string): void {
    this.#lines += 1;
    this.#malformed.add(line, why);
    if (this.#malformed.areTooMany(this.#lines, false)) throw this.#tooMany();
  }

  #tooMany(): ChatLoadError {
    const remedy = 'Fix or remove these lines; up to 1 % of the lines of a trace are skipped and counted.';
    return this.#error(this.#malformed.text, remedy);
  }

  #error(problem: string, remedy: string): ChatLoadError {
    return traceError(this.#reading.file, { problem, remedy });
  }
}

/** Returns the error for a trace file, with the remedy as its hint. */
export function traceError(file: string, { problem, remedy }: { problem: string; remedy: string }, cause?: unknown) {
  return new ChatLoadError('usage', {
    message: `The trace ${file} cannot be read: ${problem}${problem.endsWith('?') ? '' : '.'}`,
    hint: remedy,
    cause,
  });
}
