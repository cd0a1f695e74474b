import { type ChatLoadError, usageError } from '../../base/errors.ts';
import { unknownName } from '../../base/unknown-name.ts';
import { countOf } from '../../base/format.ts';
import { printableJson } from '../../base/printable.ts';
import { countUserTurns, type Conversation } from '../../dataset/conversation.ts';
import {
  type Reading,
  type RecordReader,
  SkipCounts,
  type Skip,
  type FormatName,
} from '../../dataset/formats/format.ts';
import { repairConversation, type Repair } from '../../dataset/formats/repair-conversation.ts';
import { fingerprintOf } from '../../dataset/inspect/duplicates.ts';
import { Fingerprints } from '../../dataset/fingerprints.ts';
import type { PersonalKind } from '../../dataset/redact/personal-rules.ts';
import { redactConversation } from '../../dataset/redact/redact-conversation.ts';
import { randomOf } from '../../base/random.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import { Inspector } from '../../dataset/inspect/inspector.ts';
import type { DatasetDocument } from '../../dataset/inspect/dataset-document.ts';
import { isReadColumn, datasetFormats, formOf, recognize } from '../../dataset/formats/recognize.ts';
import { readColumns } from '../../dataset/formats/rows.ts';
import { fieldsOf, missingColumn, type TableColumns } from '../../dataset/formats/table-columns.ts';
import { isObject } from '../../base/is-object.ts';
import { firstValues, type FileRecord, type RecordFile } from '../../edge/disk/records/record.ts';
import { openTrace } from '../../edge/disk/trace/open-trace.ts';
import { openRecords } from '../../edge/disk/records/open-records.ts';

export interface Conversion {
  files: readonly string[];
  /** Format of the files. Default: detected per file. */
  from?: FormatName | undefined;
  /** Column mapping of tables, instead of a format. */
  columns?: TableColumns | undefined;
  redact: boolean;
  dedupe: boolean;
  /** Codes (ISO 639) of the languages to keep; conversations without a stated language are dropped. */
  languages?: readonly string[] | undefined;
  minTurns: number;
  maxTurns: number;
  sample?: number | undefined;
  seed: number;
}

/** Destination of conversations, one per line. */
export interface Sink {
  /** Resolves when more can be written, with `false` if the reader has exited. */
  write(text: string): Promise<boolean>;
}

/** Maximum number of malformed records per conversion. */
const maxMalformed = 1000;

/**
 * Converts files to chat-load conversations in constant memory: a first pass draws the sample, a second writes it. Throws a
 * usage error for an unreadable file, or one with more than `maxMalformed` malformed records.
 */
export async function convertDataset(conversion: Conversion, sink: Sink) {
  const datasets = await Promise.all(conversion.files.map((path) => openDataset(path, conversion)));
  const { sample, seed } = conversion;
  const drawn = sample === undefined ? undefined : drawSample(await countMatching(datasets, conversion), sample, seed);
  const pass = new Pass(conversion, drawn);
  let isCut = false;
  for await (const lines of pass.over(datasets)) {
    isCut = !(await sink.write(lines));
    if (isCut) break;
  }
  return {
    files: datasets.map(({ file, format }) => ({ path: file.path, format, container: file.container })),
    ...pass.counts(),
    isCut,
  };
}

async function countMatching(datasets: readonly Dataset[], conversion: Conversion): Promise<number> {
  const pass = new Pass({ ...conversion, redact: false }, new Set());
  const lines = pass.over(datasets);
  while ((await lines.next()).done !== true);
  return pass.matching;
}

const chunkLength = 256 * 1024;

class Pass {
  /** Number of matching conversations, drawn or not. */
  matching = 0;
  readonly #counts = { read: 0, written: 0, turns: 0, scattered: 0 };
  readonly #conversion: Conversion;
  readonly #drawn: ReadonlySet<number> | undefined;
  readonly #skips = new SkipCounts();
  readonly #known = new Fingerprints();
  readonly #repaired = new Map<Repair, number>();
  readonly #redacted = new Map<PersonalKind, number>();

  constructor(conversion: Conversion, drawn: ReadonlySet<number> | undefined) {
    this.#conversion = conversion;
    this.#drawn = drawn;
  }

  /** Yields the lines to write, in chunks of text. */
  async *over(datasets: readonly Dataset[]): AsyncGenerator<string> {
    let lines = '';
    for (const dataset of datasets)
      for await (const readings of dataset.readings())
        for (const reading of readings) {
          lines += this.#lineOf(reading, dataset);
          if (lines.length < chunkLength) continue;
          yield lines;
          lines = '';
        }
    yield lines;
  }

  counts() {
    return {
      ...this.#counts,
      skipped: this.#skips.all(),
      repaired: this.#repaired,
      redacted: this.#redacted,
      dedupedInPart: this.#conversion.dedupe && this.#known.isFull,
    };
  }

  /** Returns the line to write for a reading; '' if the reading is skipped. */
  #lineOf(reading: Reading, dataset: Dataset): string {
    const where = recordName(dataset.file, reading.place, this.#conversion.files.length > 1);
    const skip = (reason: Skip, detail?: string): string => {
      this.#skips.add(reason, where, detail);
      if (this.#skips.countOf('malformed') > maxMalformed) throw this.#tooManyMalformed(dataset);
      return '';
    };
    if ('problem' in reading) return skip(reading.problem, reading.detail);
    this.#counts.read++;
    if (reading.isScattered === true) this.#counts.scattered++;
    const resolved = repairConversation(reading.conversation);
    if (resolved === undefined) return skip('noUserMessage');
    const { conversation, repairs } = resolved;
    const unwanted = this.#skipReason(conversation);
    if (unwanted !== undefined) return skip(unwanted);
    if (this.#drawn?.has(this.matching++) === false) return skip('notSampled');
    addCounts(this.#repaired, Object.entries(repairs) as [Repair, number][]);
    return this.#write(conversation);
  }

  #skipReason(conversation: Conversation): Skip | undefined {
    const { languages, minTurns, maxTurns, dedupe } = this.#conversion;
    if (languages?.includes(conversation.language ?? '') === false) return 'otherLanguage';
    const turns = countUserTurns(conversation);
    if (turns < minTurns) return 'tooFewTurns';
    if (turns > maxTurns) return 'tooManyTurns';
    return dedupe && this.#known.add(fingerprintOf(conversation)) ? 'duplicate' : undefined;
  }

  #write(conversation: Conversation): string {
    this.#counts.written++;
    this.#counts.turns += countUserTurns(conversation);
    if (!this.#conversion.redact) return lineOf(conversation);
    const redacted = redactConversation(conversation);
    addCounts(this.#redacted, redacted.counts);
    return lineOf(redacted.conversation);
  }

  #tooManyMalformed({ file, format }: Dataset): ChatLoadError {
    const [first] = this.#skips.all().filter(({ reason }) => reason === 'malformed');
    const named = first?.first.map(({ where, detail }) => `${where}: ${detail}`).join('; ') ?? '';
    return usageError(
      `${file.path} has more than ${String(maxMalformed)} malformed ${file.unit}s, read as ${format} in ${file.container} (${named}).`,
      'Nothing was written. Repair or recreate the file; chat-load dataset inspect counts its problems.',
    );
  }
}

const lineOf = (conversation: Conversation): string => `${printableJson(conversation)}\n`;

function addCounts<Name>(counts: Map<Name, number>, more: Iterable<readonly [Name, number]>): void {
  for (const [name, count] of more) if (count > 0) counts.set(name, (counts.get(name) ?? 0) + count);
}

/** Draws `sample` of `count` indices with equal probability (selection sampling, Knuth's algorithm S). */
export function drawSample(count: number, sample: number, seed: number): ReadonlySet<number> {
  const random = randomOf(seed);
  const drawn = new Set<number>();
  for (let index = 0; index < count && drawn.size < sample; index++)
    if (random() * (count - index) < sample - drawn.size) drawn.add(index);
  return drawn;
}

interface Dataset {
  file: RecordFile;
  format: FormatName;
  /** Reads the conversations of the file; may be called repeatedly. */
  readings(): AsyncIterable<readonly Reading[]>;
}

type Form = Pick<Conversion, 'from' | 'columns'>;

/** Opens a file in the given or detected format, or with named columns. Throws a usage error for an unknown format or column. */
async function openDataset(path: string, { from, columns }: Form): Promise<Dataset> {
  const file = await openRecords(path, (column) => isReadColumn(column, columns));
  if (columns !== undefined) {
    await requireColumns(file, columns);
    const format = columns.content === undefined ? 'pairs' : 'rows';
    return { file, format, readings: () => readingsOf(file, readColumns(columns)) };
  }
  const format = from ?? (await formatOf(file));
  return { file, format, readings: () => readingsOf(file, datasetFormats[format].open()) };
}

/** Throws a usage error that lists the columns of a file if it lacks a named one. */
async function requireColumns(file: RecordFile, columns: TableColumns): Promise<void> {
  const { values } = await firstValues(file);
  const missing = missingColumn(values, columns);
  if (missing === undefined) return;
  throw usageError(
    `${file.path}: ${unknownName('column', missing, fieldsOf(values))}`,
    'Name columns of the file: --columns user=incoming,assistant=outgoing,conversation=ticket.',
  );
}

async function formatOf(file: RecordFile): Promise<FormatName> {
  const { values, unread } = await firstValues(file);
  if (values.length > 0 && formOf(values) === undefined) await refuseTrace(file.path);
  if (values.length > 0 || unread === undefined) return recognize(file.path, values);
  throw usageError(
    `Cannot read any record of ${file.path}: ${unread}.`,
    'Use a file of conversations: JSON, JSON Lines or CSV; docs/reference/datasets.md describes the formats.',
  );
}

/** Throws a usage error for a trace, with its format and the unit of its times. */
async function refuseTrace(path: string): Promise<void> {
  const trace = await openTrace(path).catch(() => undefined);
  if (trace === undefined) return;
  const { form, times, requests } = trace.facts;
  throw usageError(
    `${path} is a trace (${form}, times: ${times}) of ${countOf(requests, 'request')}, not a file of conversations.`,
    'Replay it with load: { trace }, which chat-load plan shows, or fit a scenario to it: chat-load fit.',
  );
}

async function* readingsOf(file: RecordFile, reader: RecordReader): AsyncGenerator<readonly Reading[]> {
  const read = (record: FileRecord): readonly Reading[] => {
    if ('problem' in record) return [record];
    const { place, value } = record;
    return isObject(value)
      ? reader.read(value, place)
      : [{ place, problem: 'otherForm', detail: 'the record is not an object' }];
  };
  for await (const records of file.records()) yield records.flatMap(read);
  yield reader.end();
}

/** Returns the name of a record, such as `line 12`, with its file if there are several. */
function recordName({ path, unit }: RecordFile, place: number, isOneOfSeveral: boolean): string {
  return `${isOneOfSeveral ? `${path} ` : ''}${unit} ${String(place)}`;
}

/** Inspects files of conversations in constant memory. Throws a usage error for an unreadable file. */
export async function inspectDataset(paths: readonly string[], form: Form = {}): Promise<DatasetDocument> {
  const datasets = await Promise.all(paths.map((path) => openDataset(path, form)));
  const inspector = new Inspector();
  for (const dataset of datasets)
    for await (const readings of dataset.readings())
      for (const reading of readings) inspector.add(reading, recordName(dataset.file, reading.place, paths.length > 1));
  return {
    kind: 'chat-load/dataset',
    schemaVersion: 1,
    toolVersion,
    files: datasets.map(({ file: { path, bytes, container }, format }) => ({ path, format, container, bytes })),
    ...inspector.findings(),
  };
}
