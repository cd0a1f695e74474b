import { ChatLoadError } from '../../base/errors.ts';
import { printableJson } from '../../base/printable.ts';
import type { Conversation } from '../../dataset/conversation.ts';
import { type Reading, SkipCounts, type Left, type Skip } from '../../dataset/formats/format.ts';
import type { FormatName } from '../../dataset/formats/format.ts';
import { settleConversation, turnsOf, type Repair } from '../../dataset/formats/settle-conversation.ts';
import { fingerprintOf } from '../../dataset/inspect/duplicates.ts';
import { Fingerprints } from '../../dataset/fingerprints.ts';
import type { PersonalKind } from '../../dataset/redact/personal-rules.ts';
import { redactConversation } from '../../dataset/redact/redact-conversation.ts';
import { openDataset, type Dataset, placeName } from './open-dataset.ts';
import { randomOf } from '../../base/random.ts';

/** What is to be converted, and what of it is taken. */
export interface Conversion {
  files: readonly string[];
  /** Left out: recognized, file by file. */
  from?: FormatName | undefined;
  redact: boolean;
  dedupe: boolean;
  /** Codes (ISO 639) of the languages that are taken; of a file that states none, nothing is. */
  languages?: readonly string[] | undefined;
  minTurns: number;
  maxTurns: number;
  /** How many are drawn of those that are taken. */
  sample?: number | undefined;
  seed: number;
}

/** Where conversations are written to, one a line. */
export interface Sink {
  /** Resolves when more can be written; `false`: nobody reads any more. */
  write(text: string): Promise<boolean>;
}

/** What a conversion did. */
export interface Converted {
  files: readonly { path: string; format: FormatName; container: string }[];
  /** Conversations that were read; what could not be read is among the skipped. */
  read: number;
  written: number;
  turns: number;
  /** Conversations whose id is that of one before, with others between. */
  scattered: number;
  skipped: readonly (Left & { reason: Skip })[];
  repaired: ReadonlyMap<Repair, number>;
  redacted: ReadonlyMap<PersonalKind, number>;
  /** More conversations were there than can be remembered: duplicates may be left. */
  dedupedInPart: boolean;
  /** Nobody read the output any more: the rest was not converted. */
  isCut: boolean;
}

/** A file with more broken records is of no use: the first of them are named instead. */
const malformedLimit = 1000;

/**
 * Converts files to conversations of our form, in constant memory: what is drawn is known after a first pass, and written
 * in a second. Throws a usage error where a file cannot be read, or has more than `malformedLimit` broken records.
 */
export async function convertDataset(conversion: Conversion, sink: Sink): Promise<Converted> {
  const datasets = await Promise.all(conversion.files.map((path) => openDataset(path, conversion.from)));
  const { sample, seed } = conversion;
  const drawn = sample === undefined ? undefined : drawSample(await countTaken(datasets, conversion), sample, seed);
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

async function countTaken(datasets: readonly Dataset[], conversion: Conversion): Promise<number> {
  const pass = new Pass({ ...conversion, redact: false }, new Set());
  const lines = pass.over(datasets);
  while ((await lines.next()).done !== true);
  return pass.taken;
}

const pieceLength = 256 * 1024;

/** One reading of all files. */
class Pass {
  /** Conversations that are wanted, drawn or not. */
  taken = 0;
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

  /** The lines to write, in pieces. */
  async *over(datasets: readonly Dataset[]): AsyncGenerator<string> {
    let lines = '';
    for (const dataset of datasets)
      for await (const readings of dataset.readings())
        for (const reading of readings) {
          lines += this.#lineOf(reading, dataset);
          if (lines.length < pieceLength) continue;
          yield lines;
          lines = '';
        }
    yield lines;
  }

  counts(): Omit<Converted, 'files' | 'isCut'> {
    return {
      ...this.#counts,
      skipped: this.#skips.all(),
      repaired: this.#repaired,
      redacted: this.#redacted,
      dedupedInPart: this.#conversion.dedupe && this.#known.isFull,
    };
  }

  /** Empty for what is not written. */
  #lineOf(reading: Reading, dataset: Dataset): string {
    const where = placeName(dataset.file, reading.place, this.#conversion.files.length > 1);
    const skip = (reason: Skip, detail?: string): string => {
      this.#skips.add(reason, where, detail);
      if (this.#skips.countOf('malformed') > malformedLimit) throw this.#tooBroken(dataset);
      return '';
    };
    if ('problem' in reading) return skip(reading.problem, reading.detail);
    this.#counts.read++;
    if (reading.isScattered === true) this.#counts.scattered++;
    const settled = settleConversation(reading.conversation);
    if (settled === undefined) return skip('noUserMessage');
    const { conversation, repairs } = settled;
    const unwanted = this.#whyUnwanted(conversation);
    if (unwanted !== undefined) return skip(unwanted);
    if (this.#drawn?.has(this.taken++) === false) return skip('notSampled');
    addCounts(this.#repaired, Object.entries(repairs) as [Repair, number][]);
    return this.#write(conversation);
  }

  #whyUnwanted(conversation: Conversation): Skip | undefined {
    const { languages, minTurns, maxTurns, dedupe } = this.#conversion;
    if (languages?.includes(conversation.language ?? '') === false) return 'otherLanguage';
    const turns = turnsOf(conversation);
    if (turns < minTurns) return 'tooFewTurns';
    if (turns > maxTurns) return 'tooManyTurns';
    return dedupe && this.#known.add(fingerprintOf(conversation)) ? 'duplicate' : undefined;
  }

  #write(conversation: Conversation): string {
    this.#counts.written++;
    this.#counts.turns += turnsOf(conversation);
    if (!this.#conversion.redact) return lineOf(conversation);
    const redacted = redactConversation(conversation);
    addCounts(this.#redacted, redacted.counts);
    return lineOf(redacted.conversation);
  }

  #tooBroken({ file, format }: Dataset): ChatLoadError {
    const [first] = this.#skips.all().filter(({ reason }) => reason === 'malformed');
    const named = first?.first.map(({ where, detail }) => `${where}: ${detail}`).join('; ') ?? '';
    return new ChatLoadError('usage', {
      message: `${file.path} has more than ${String(malformedLimit)} broken ${file.unit}s, read as ${format} in ${file.container} (${named}).`,
      hint: 'Nothing was written. Repair the file, or make it anew; chat-load dataset inspect counts what is wrong with it.',
    });
  }
}

const lineOf = (conversation: Conversation): string => `${printableJson(conversation)}\n`;

function addCounts<Name>(counts: Map<Name, number>, more: Iterable<readonly [Name, number]>): void {
  for (const [name, count] of more) if (count > 0) counts.set(name, (counts.get(name) ?? 0) + count);
}

/** Which of `count` are taken: `sample` of them, each with the same probability (selection sampling, Knuth's algorithm S). */
export function drawSample(count: number, sample: number, seed: number): ReadonlySet<number> {
  const random = randomOf(seed);
  const drawn = new Set<number>();
  for (let index = 0; index < count && drawn.size < sample; index++)
    if (random() * (count - index) < sample - drawn.size) drawn.add(index);
  return drawn;
}
