import { ChatLoadError } from '../../base/errors.ts';
import { fileReason } from '../../base/file-reason.ts';
import type { CountedConversations } from '../../dataset/conversation.ts';
import { readFields, formOf } from '../../dataset/formats/recognize.ts';
import { openConversations } from '../../edge/disk/dataset/open-conversations.ts';
import { readHead } from '../../edge/disk/read-ends.ts';
import { containerOf, firstLine, textAt } from '../../edge/disk/records/container-of.ts';
import { firstValues } from '../../edge/disk/records/record.ts';
import { openRecords } from '../../edge/disk/records/open-records.ts';
import { openTrace } from '../../edge/disk/trace/open-trace.ts';
import type { OpenedTrace, TraceReading } from '../../trace/trace.ts';

/** A file to fit to, opened. */
export type FitFile =
  | { holds: 'trace'; file: string; source: OpenedTrace }
  | { holds: 'conversations'; file: string; source: CountedConversations };

/** Opens a file as what it holds. Throws a usage error where it can be read as neither. */
export async function openInput(file: string, reading: TraceReading): Promise<FitFile> {
  const start = startOf(file);
  // Columns are named of a trace alone.
  if (reading.columns === undefined && (await holdsConversations(file, start)))
    return { holds: 'conversations', file, source: await openConversations(file) };
  return { holds: 'trace', file, source: await openTrace(file, reading) };
}

function startOf(file: string): Buffer {
  try {
    return readHead(file);
  } catch (thrown) {
    throw new ChatLoadError('usage', {
      message: `Nothing can be fitted to ${file}: ${fileReason(thrown)}.`,
      hint: 'Name a trace (docs/replay.md) or a file of conversations (docs/datasets.md).',
      cause: thrown,
    });
  }
}

/** In any form: where it has to be converted, that is said when it is opened. */
async function holdsConversations(file: string, start: Buffer): Promise<boolean> {
  const container = containerOf(file, start);
  if (container === 'parquet' || container === 'json') return true;
  if (container === undefined) return false;
  if (container === 'csv' && namesRoles(start)) return true;
  try {
    const records = await openRecords(file, (column) => readFields.has(column));
    return formOf((await firstValues(records)).values) !== undefined;
  } catch {
    // Lines of a log may be no table.
    return false;
  }
}

function namesRoles(start: Buffer): boolean {
  const names = firstLine(textAt(start))
    .toLowerCase()
    .split(/[,;\t]/);
  return names.some((name) => name.replace(/["\s]/g, '') === 'role');
}
