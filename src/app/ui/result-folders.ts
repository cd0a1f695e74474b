import { isDeepStrictEqual } from 'node:util';
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { ChatLoadError, usageError } from '../../base/errors.ts';
import { metricRules } from '../../compare/metrics/metric-rules.ts';
import { noResultIn, folderFile, type FolderFile, folderFiles, stampOf } from '../../edge/disk/find-results.ts';
import type { ListRow, Problem, ResultsList, RunUnderWay } from '../../report/page/list/list.ts';
import { newestFirst, viewUnreadable, viewRow, viewRunUnderWay } from '../../report/page/list/view-row.ts';
import {
  listedDocuments,
  listedKinds,
  type RowBuilder,
  type RowLocation,
} from '../../report/page/list/listed-kinds.ts';
import type { DocumentReading } from '../../edge/disk/parse-document.ts';
import { readListedResult, readOther } from '../../edge/disk/read-result.ts';
import { decodeLine } from '../../edge/disk/lines.ts';
import { readLiveAddress } from '../../edge/disk/live-address.ts';
import { readEnds, type FileEnds } from '../../edge/disk/read-ends.ts';
import { readJournalHeader } from '../../edge/disk/read-journal.ts';
import { journalEntrySchema, type EndEntry, type IntervalEntry } from '../../result/journal/journal.ts';

/** Number of files to read before other work may run. */
const atOnce = 50;

/** Results and other listed documents in folders. They are addressed by ids, never by paths, so that nothing else can be requested. */
export class ResultFolders {
  readonly folders: readonly string[];
  readonly #real: readonly string[];
  /** Rows of unchanged files, by path; files other than results have no row. */
  readonly #known = new Map<string, { file: FolderFile; row: ListRow | undefined }>();

  /** Throws a usage error for a folder that cannot be read. */
  constructor(folders: readonly string[]) {
    for (const folder of folders) folderFiles(folder, '.json');
    const byPlace = new Map(folders.map((folder) => [realpathSync(folder), folder]));
    this.folders = [...byPlace.values()];
    this.#real = [...byPlace.keys()];
  }

  /** Lists all current results. Reads new and changed files, about 0.3 ms each. */
  async list(): Promise<ResultsList> {
    const others = await loadOthers();
    const rows: ListRow[] = [];
    const problems: Problem[] = [];
    for (const at of this.folders.keys()) {
      const found = await this.#rowsOf(at, others).catch(asProblem);
      if ('hint' in found) problems.push(found);
      else rows.push(...found);
    }
    const { folders } = this;
    const metrics = metricRules.map(({ name, meaning }) => ({ name, meaning }));
    const list = { folders, rows: newestFirst(rows), problems, metrics, documents: listedDocuments() };
    return { ...list, version: digestOf(JSON.stringify(list)) };
  }

  /** Returns the paths of existing results. Throws a usage error for an unknown id. */
  async pathsOf(ids: readonly string[]): Promise<string[]> {
    const { rows } = await this.list();
    return ids.map((id) => this.#pathOf(rows.find((row) => row.id === id)));
  }

  /** Returns a folder by its number, and the names of its readable files. Throws a usage error for an unknown folder. */
  filesOf(number: string): { folder: string; files: string[] } {
    const folder = /^\d+$/.test(number) ? this.folders[Number(number)] : undefined;
    if (folder === undefined)
      throw usageError(`No such folder: ${number}.`, 'Go back to the list, which shows the folders.');
    const allowed = folderFiles(folder, '.json').filter(({ refused }) => refused === undefined);
    return { folder, files: allowed.map(({ name }) => name) };
  }

  /**
   * Calls a function while the files do not change, so that a link that briefly replaces a file has no effect. Throws a usage
   * error if a file changes.
   */
  async steady<Made>(make: () => Promise<Made>): Promise<Made> {
    // A file changed within the clock's resolution could change again undetected.
    for (let tries = 0; this.#allowed().some(isYoung) && tries < 3; tries++) await setTimeout(youngMs);
    const before = this.#allowed();
    const made = await make();
    if (!before.some(isYoung) && before.every(isAsItWas)) return made;
    throw usageError('A file was changed while it was read.', again);
  }

  #allowed(): FolderFile[] {
    return this.folders.flatMap((folder) => {
      try {
        return folderFiles(folder, '.json').filter(({ refused }) => refused === undefined);
      } catch {
        // The list reports the problem.
        return [];
      }
    });
  }

  #pathOf(row: ListRow | undefined): string {
    const folder = this.folders[row?.folder ?? -1];
    if (row === undefined || folder === undefined)
      throw usageError(
        'No such result in these folders: it was moved or removed, or never existed.',
        'Go back to the list of results.',
      );
    const { path, refused } = folderFile(folder, row.file);
    if (refused === undefined) return path;
    throw usageError(`${path} ${refused}.`, hint);
  }

  async #rowsOf(folder: number, others: Others): Promise<ListRow[]> {
    const name = this.folders[folder] ?? '';
    const rows: ListRow[] = [];
    for (const [at, file] of folderFiles(name, '.json').entries()) {
      if (at % atOnce === atOnce - 1) await setImmediate();
      const row = this.#rowOf(folder, file, others);
      if (row !== undefined) rows.push(row);
    }
    if (rows.length === 0) throw noResultIn(name);
    return rows;
  }

  #rowOf(folder: number, file: FolderFile, others: Others): ListRow | undefined {
    const known = this.#known.get(file.path);
    if (known !== undefined && isDeepStrictEqual(known.file, file)) return known.row;
    const id = digestOf(`${this.#real[folder] ?? ''}\n${file.name}`);
    const row = readRow({ id, folder, file: file.name }, file, others);
    this.#known.set(file.path, { file, row });
    return row;
  }
}

const youngMs = 150;

function isYoung({ stamp }: FolderFile): boolean {
  const changedAtMs = Number(BigInt(stamp.split(' ')[2] ?? 0) / 1_000_000n);
  return Math.abs(Date.now() - changedAtMs) < youngMs;
}

/** Reports whether a file is unchanged and not replaced by a link. */
function isAsItWas({ path, stamp, refused }: Pick<FolderFile, 'path' | 'stamp' | 'refused'>): boolean {
  if (refused !== undefined) return true;
  try {
    return stampOf(path) === stamp;
  } catch {
    // It was removed.
    return false;
  }
}

const again = 'Try again in a moment.';
const hint = 'Only files in the named folders are read; copy it there.';

function readRow(place: RowLocation, file: FolderFile, others: Others): ListRow | undefined {
  const { path, changedAtMs, refused } = file;
  const read = refused === undefined ? readListed(path, others) : { why: 'damaged', problem: refused, hint };
  const reading = isAsItWas(file) ? read : { why: 'damaged', problem: 'was changed while it was read', hint: again };
  if ('view' in reading) return reading.view(place);
  // Histories, comparisons and other files.
  return reading.why === 'foreign' ? undefined : viewUnreadable(place, reading, new Date(changedAtMs).toISOString());
}

function asProblem(thrown: unknown): Problem {
  if (!(thrown instanceof ChatLoadError)) throw thrown;
  return { message: thrown.message, hint: thrown.hint };
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);

/** View of a listed file, or the reason why it cannot be read. */
type Listed = { view: (place: RowLocation) => ListRow } | Exclude<DocumentReading<never>, { part: never }>;

/** Builders of the rows of other documents than results, by kind. */
type Others = ReadonlyMap<string, RowBuilder<never>>;

const loadOthers = async (): Promise<Others> =>
  new Map(await Promise.all(listedKinds.all.map(async ({ kind, load }) => [kind, await load()] as const)));

/** Reads the list entry of a result or another listed document. Never throws. */
function readListed(path: string, others: Others): Listed {
  const result = readListedResult(path);
  if ('part' in result) return { view: (place) => viewRow(place, result.part) };
  const { document: kind = '' } = result;
  const other = others.get(kind);
  if (other === undefined) return result;
  const reading = readOther(path, kind, other.schema);
  return 'part' in reading ? { view: (place) => other.view(place, reading.part) } : reading;
}

/**
 * Returns the runs in folders whose journals have no end, the newest first, except those with a result (`ended`: their ids).
 * Unreadable folders are skipped; the list reports them.
 */
export function runsUnderWay(
  folders: readonly string[],
  nowMs: number,
  ended: ReadonlySet<string> = new Set(),
): RunUnderWay[] {
  const now = { nowMs, ended };
  const runs = folders.flatMap((folder) => journalsIn(folder).flatMap((file) => runOf(folder, file, now) ?? []));
  return runs.toSorted((a, b) => Date.parse(b.startedAt) - Date.parse(a.startedAt));
}

function journalsIn(folder: string): FolderFile[] {
  try {
    return folderFiles(folder, '.ndjson').filter(({ refused }) => refused === undefined);
  } catch {
    return [];
  }
}

function runOf(
  folder: string,
  { name, path, changedAtMs }: FolderFile,
  { nowMs, ended }: { nowMs: number; ended: ReadonlySet<string> },
): RunUnderWay | undefined {
  const { first, last } = endsOf(path);
  const header = readJournalHeader(first && { line: 1, kind: 'entry', ...decodeEntry(first) });
  if (!('part' in header) || ended.has(header.part.run.id)) return undefined;
  if (last?.kind === 'end') return undefined;
  const silentMs = Math.max(0, nowMs - changedAtMs);
  // Runs write a line per second.
  const isSilent = silentMs > 15_000;
  return viewRunUnderWay(
    { folder, file: name, address: isSilent ? null : readLiveAddress(path), isSilent },
    { header: header.part, entry: last, silentMs, path },
  );
}

const decodeEntry = (line: Buffer): { entry: unknown } => decodeLine(line) ?? { entry: undefined };

/** Returns the last interval or the end of a journal; warnings and lost shards may follow an interval. */
function progressIn(line: Buffer): IntervalEntry | EndEntry | undefined {
  const entry = journalEntrySchema.safeParse(decodeEntry(line).entry).data;
  return entry?.kind === 'interval' || entry?.kind === 'end' ? entry : undefined;
}

function endsOf(path: string): FileEnds<IntervalEntry | EndEntry> {
  try {
    return readEnds(path, progressIn);
  } catch {
    // The journal was removed because its run has ended.
    return { first: undefined, last: undefined };
  }
}
