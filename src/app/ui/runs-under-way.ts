import { type FolderFile, folderFiles } from '../../edge/disk/find-results.ts';
import { decodeLine } from '../../edge/disk/lines.ts';
import { readLiveAddress } from '../../edge/disk/live-address.ts';
import { readEnds, type FileEnds } from '../../edge/disk/read-ends.ts';
import { readJournalHeader } from '../../edge/disk/read-journal.ts';
import type { RunUnderWay } from '../../report/page/list/list.ts';
import { viewRunUnderWay } from '../../report/page/list/view-row.ts';
import { journalEntrySchema, type EndEntry, type IntervalEntry } from '../../result/journal/journal.ts';

/** A run writes a line a second. */
const silentAfterMs = 15_000;

/**
 * The runs whose journals are in folders and say that they have not ended, the newest first; without those that have a
 * result, which are `ended` by their ids. A folder that cannot be read has none: the list says why.
 */
export function runsUnderWay(
  folders: readonly string[],
  nowMs: number,
  ended: ReadonlySet<string> = new Set(),
): RunUnderWay[] {
  const seen = { nowMs, ended };
  const runs = folders.flatMap((folder) => journalsIn(folder).flatMap((file) => runOf(folder, file, seen) ?? []));
  return runs.toSorted((a, b) => Date.parse(b.startedAt) - Date.parse(a.startedAt));
}

function journalsIn(folder: string): FolderFile[] {
  try {
    return folderFiles(folder, '.ndjson').filter(({ refused }) => refused === undefined);
  } catch {
    return [];
  }
}

/** `undefined`: the run has ended, or its journal is none. */
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
  const isSilent = silentMs > silentAfterMs;
  return viewRunUnderWay(
    { folder, file: name, address: isSilent ? null : readLiveAddress(path), isSilent },
    { header: header.part, entry: last, silentMs, path },
  );
}

const decodeEntry = (line: Buffer): { entry: unknown } => decodeLine(line) ?? { entry: undefined };

/** The last interval of a journal, or its end: a warning or a lost shard may follow an interval at any time. */
function progressIn(line: Buffer): IntervalEntry | EndEntry | undefined {
  const entry = journalEntrySchema.safeParse(decodeEntry(line).entry).data;
  return entry?.kind === 'interval' || entry?.kind === 'end' ? entry : undefined;
}

function endsOf(path: string): FileEnds<IntervalEntry | EndEntry> {
  try {
    return readEnds(path, progressIn);
  } catch {
    // It has gone: its run has ended.
    return { first: undefined, last: undefined };
  }
}
