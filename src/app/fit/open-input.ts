import { ChatLoadError } from '../../base/errors.ts';
import { fileReason } from '../../base/file-reason.ts';
import type { CountedConversations } from '../../dataset/conversation.ts';
import { foreignForm } from '../../dataset/foreign-form.ts';
import { openConversations } from '../../edge/disk/dataset/open-conversations.ts';
import { readHead } from '../../edge/disk/read-head.ts';
import { openTrace } from '../../edge/disk/trace/open-trace.ts';
import type { OpenedTrace, TraceReading } from '../../trace/trace.ts';

/** A file to fit to, opened. */
export type FitFile =
  | { holds: 'trace'; file: string; source: OpenedTrace }
  | { holds: 'conversations'; file: string; source: CountedConversations };

/** Opens a file as what it holds. Throws a usage error where it can be read as neither. */
export async function openInput(file: string, reading: TraceReading): Promise<FitFile> {
  // Columns are named of a trace alone.
  if (reading.columns === undefined && holdsConversations(headOf(file)))
    return { holds: 'conversations', file, source: await openConversations(file) };
  return { holds: 'trace', file, source: await openTrace(file, reading) };
}

function headOf(file: string): Buffer {
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

/** Files of conversations in other forms are said to be such when they are opened. */
function holdsConversations(head: Buffer): boolean {
  const [first = ''] = head
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart()
    .split('\n', 1);
  if (first.startsWith('{') && first.includes('"messages"')) return true;
  const fields = first
    .toLowerCase()
    .split(/[,;\t]/)
    .map((field) => field.replace(/["\s]/g, ''));
  return (fields.includes('role') && fields.includes('content')) || foreignForm(head) !== undefined;
}
