import { ChatLoadError, messageOf } from '../../../base/errors.ts';
import { formatMs } from '../../../base/format.ts';
import { parseJson } from '../../../base/json.ts';
import type { LineReader } from '../../../trace/forms/form.ts';
import { recognizeForm } from '../../../trace/forms/recognize-form.ts';
import { MalformedLines } from '../../../trace/malformed-lines.ts';
import { isoTimes } from '../../../trace/read-time.ts';
import type { TraceFacts, TraceReading, TraceRow } from '../../../trace/trace.ts';
import { type Blocks, HeldBytes, readBlocks, readLines } from '../lines.ts';
import { readHeadOf } from '../read-ends.ts';
import { containerOf, textAt } from '../records/container-of.ts';

interface Reading {
  file: string;
  opened: number;
  options: TraceReading;
  /** Called with all bytes of the file. */
  seen: (block: Buffer) => void;
  take: (row: TraceRow) => void;
}

/** Reads a trace from start to end. Throws a usage error that names the line. */
export async function readRows(reading: Reading): Promise<Omit<TraceFacts, 'inputs'>> {
  const head = readHeadOf(reading.opened);
  const isDocument = containerOf(reading.file, head) === 'json' && /^\s*(?:\{|\[\s*[{\]])/.test(textAt(head));
  const rows = new RowReader(reading, isDocument ? 'element' : 'line');
  const blocks = readBlocks(reading.opened, reading.seen);
  if (isDocument)
    for (const [index, text] of (await readElements(reading.file, blocks)).entries()) rows.read(index + 1, text);
  else
    for await (const lines of readLines(blocks, maxLineBytes))
      for (const { number, bytes } of lines) rows.read(number, bytes?.toString('utf8'));
  return rows.end();
}

/** Reads one JSON document: the elements of its array, or the document itself, each as the text of a line. */
async function readElements(file: string, blocks: Blocks): Promise<string[]> {
  const held = new HeldBytes(maxDocumentBytes);
  for await (const block of blocks) held.add(block);
  const { bytes } = held.take(Buffer.alloc(0));
  if (bytes === undefined)
    throw traceError(file, {
      problem: 'it is one JSON document of more than 256 MiB',
      remedy: 'Write it as JSON Lines, such as one export (resourceSpans) per line.',
    });
  try {
    const document = parseJson(textAt(bytes));
    return (Array.isArray(document) ? document : [document]).map((element) => JSON.stringify(element));
  } catch (thrown) {
    const remedy = 'Use a complete JSON document, or JSON Lines: one request or export per line.';
    throw traceError(file, { problem: `it is not JSON (${messageOf(thrown)})`, remedy }, thrown);
  }
}

/** A larger difference means two different units rather than an idle service. */
const maxJumpMs = 30 * 24 * 3_600_000;
const maxLineBytes = 16 * 1024 * 1024;
const maxDocumentBytes = 256 * 1024 * 1024;

/** Lines from which the form and the unit of times are recognized, and their maximum length. */
const headLines = 1000;
const headLength = 4 * 1024 * 1024;

interface TextLine {
  number: number;
  text: string;
}

class RowReader {
  readonly #reading: Reading;
  readonly #unit: 'line' | 'element';
  readonly #malformed: MalformedLines;
  readonly #doubtful = new MalformedLines();
  /** The first lines, until the form is recognized from them. */
  #head: TextLine[] = [];
  #headLength = 0;
  #reader: LineReader | undefined;
  #lines = 0;
  #requests = 0;
  #latest = { atMs: -Infinity, line: 0 };

  constructor(reading: Reading, unit: 'line' | 'element') {
    this.#reading = reading;
    this.#unit = unit;
    this.#malformed = new MalformedLines(unit);
  }

  /** Reads a line or an element; `undefined`: it is too long. */
  read(number: number, text: string | undefined): void {
    if (text?.trim() === '') return;
    if (text === undefined) this.#refuseLine(number, 'is longer than 16 MiB');
    else if (this.#reader !== undefined) this.#readWith(this.#reader, { number, text });
    else {
      this.#head.push({ number, text });
      this.#headLength += text.length;
      if (this.#head.length === headLines || this.#headLength > headLength) this.#recognize();
    }
  }

  end(): Omit<TraceFacts, 'inputs'> {
    const { form, times, unitDoubt } = this.#reader ?? this.#recognize();
    if (this.#malformed.areTooMany(this.#lines, true)) throw this.#tooMany();
    if (this.#requests === 0) throw this.#error('it contains no request', 'Use a trace with at least one request.');
    return {
      form,
      times,
      requests: this.#requests,
      malformed: this.#malformed.found,
      doubtful: this.#doubtful.found,
      ...(unitDoubt === undefined ? {} : { unitDoubt }),
    };
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
      if (row.doubt !== undefined) this.#doubtful.add(number, row.doubt);
      this.#requests += 1;
      this.#reading.take(row);
    }
  }

  #checkClock({ atMs }: TraceRow, line: number, times: string): void {
    if (atMs === null) return;
    const { atMs: latestMs, line: latest } = this.#latest;
    if (times !== isoTimes.format && latest > 0 && Math.abs(atMs - latestMs) > maxJumpMs)
      throw this.#error(
        `its clock jumps: ${this.#unit} ${String(line)} is ${formatMs(Math.abs(atMs - latestMs))} ${atMs < latestMs ? 'before' : 'after'} ${this.#unit} ${String(latest)}, with times read as ${times}`,
        'Use one unit for all times, stated as columns: { unit }; or cut the trace there and replay its parts. Dates in ISO 8601 may be so far apart.',
      );
    if (atMs < latestMs && this.#reading.options.sort !== true)
      throw this.#error(
        `it is not sorted by time: ${this.#unit} ${String(line)} is ${formatMs(latestMs - atMs)} before ${this.#unit} ${String(latest)}`,
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
