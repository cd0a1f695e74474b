import { folderFiles, type FolderFile } from '../../edge/disk/folder-files.ts';
import { decodeLine } from '../../edge/disk/journal-line.ts';
import { readLiveAddress } from '../../edge/disk/live-address.ts';
import { readEnds } from '../../edge/disk/read-ends.ts';
import { readJournalHeader } from '../../edge/disk/read-journal-header.ts';
import type { RunUnderWay } from '../../report/page/list/list.ts';
import { viewRunUnderWay } from '../../report/page/list/view-run-under-way.ts';
import { journalEntrySchema } from '../../result/journal/journal.ts';

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
  const entry = journalEntrySchema.safeParse(last && decodeEntry(last).entry).data;
  if (entry?.kind === 'end') return undefined;
  const silentMs = Math.max(0, nowMs - changedAtMs);
  const isSilent = silentMs > silentAfterMs;
  return viewRunUnderWay(
    { folder, file: name, address: isSilent ? null : readLiveAddress(path), isSilent },
    { header: header.part, entry: entry?.kind === 'interval' ? entry : undefined, silentMs, path },
  );
}

const decodeEntry = (line: Buffer): { entry: unknown } => decodeLine(line) ?? { entry: undefined };

function endsOf(path: string): ReturnType<typeof readEnds> {
  try {
    return readEnds(path);
  } catch {
    // It has gone: its run has ended.
    return { first: undefined, last: undefined };
  }
}
