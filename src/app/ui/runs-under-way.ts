import { type FolderFile, folderFiles } from '../../edge/disk/find-results.ts';
import { decodeLine } from '../../edge/disk/lines.ts';
import { readLiveAddress } from '../../edge/disk/live-address.ts';
import { readEnds, type FileEnds } from '../../edge/disk/read-ends.ts';
import { readJournalHeader } from '../../edge/disk/read-journal.ts';
import type { RunUnderWay } from '../../report/page/list/list.ts';
import { viewRunUnderWay } from '../../report/page/list/view-row.ts';
import { journalEntrySchema, type EndEntry, type IntervalEntry } from '../../result/journal/journal.ts';

/** Silence after which a run counts as silent; runs write a line per second. */
const silentAfterMs = 15_000;

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

/** Returns the active run of a journal, if any. */
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
