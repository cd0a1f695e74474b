import { ChatLoadError, usageError } from '../../base/errors.ts';
import { readingWarnings } from '../../result/warnings/trace-warnings.ts';
import { likelyInput } from '../../trace/input-of.ts';
import { unknownForm } from '../../trace/forms/recognize-form.ts';
import { formatNames } from '../../dataset/formats/format.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import type { Fit } from '../../fit/document/fit.ts';
import { fitWorkload, type FitSettings } from '../../fit/fit-workload.ts';
import type { TraceColumns, TraceReading, OpenedTrace } from '../../trace/trace.ts';
import { fileReason } from '../../base/file-reason.ts';
import type { CountedConversations } from '../../dataset/conversation.ts';
import { isReadColumn, formOf } from '../../dataset/formats/recognize.ts';
import { openConversations } from '../../edge/disk/dataset/open-conversations.ts';
import { readHead } from '../../edge/disk/read-ends.ts';
import { containerOf, firstLine, textAt } from '../../edge/disk/records/container-of.ts';
import { firstValues } from '../../edge/disk/records/record.ts';
import { openRecords } from '../../edge/disk/records/open-records.ts';
import { openTrace } from '../../edge/disk/trace/open-trace.ts';

interface FitRequest extends FitSettings {
  /** A trace, conversations, or one of each. */
  files: readonly string[];
  reading: TraceReading;
}

/** Fits a workload to files. Throws a usage error for unreadable files, or two of one kind. */
export async function performFit({ files, reading, ...settings }: FitRequest): Promise<Fit> {
  const opened: FitFile[] = [];
  for (const file of files) opened.push(await openInput(file, reading));
  const [trace, conversations] = [theOne(opened, 'trace'), theOne(opened, 'conversations')];
  if (reading.columns !== undefined && trace === undefined)
    throw usageError(
      `--columns names columns of a trace, but ${conversations?.file ?? ''} contains conversations.`,
      'Omit --columns, name a trace too, or correct the names of its columns.',
    );
  const input = reading.columns?.input ?? (trace && likelyInput(trace.source.facts.inputs));
  return {
    kind: 'chat-load/fit',
    schemaVersion: 1,
    toolVersion,
    inputs: opened.map((input) => ({
      file: input.file,
      holds: input.holds,
      count: input.source.count,
      digest: input.source.digest,
      ...malformedOf(input),
      ...(input.holds === 'trace' ? readingOf(input, reading.columns) : {}),
    })),
    ...(reading.columns === undefined ? {} : { columns: definedOf(reading.columns) }),
    ...(reading.sort === true ? { sort: true } : {}),
    ...settings,
    ...fitWorkload({ trace: trace?.source, conversations: conversations?.source, input }, settings),
  };
}

function readingOf(
  { file, source: { facts } }: Extract<FitFile, { holds: 'trace' }>,
  columns: TraceColumns | undefined,
): Pick<Fit['inputs'][number], 'form' | 'times' | 'doubts'> {
  const { form, times, unitDoubt, inputs, doubtful } = facts;
  const doubts = readingWarnings({
    file,
    times,
    unitDoubt,
    inputs,
    doubtful: doubtful.count === 0 ? undefined : { lines: doubtful.count, first: [...doubtful.first] },
    columns: columns ?? null,
  });
  return { form, times, doubts: doubts.map(({ message, remedy }) => `${message} ${remedy ?? ''}`.trim()) };
}

function malformedOf(input: FitFile): Pick<Fit['inputs'][number], 'malformedLines' | 'firstMalformed'> {
  if (input.holds === 'trace') {
    const { count, first } = input.source.facts.malformed;
    return { malformedLines: count, firstMalformed: first.map(({ line, why }) => `line ${String(line)} ${why}`) };
  }
  const { lines, first } = input.source.skipped;
  return {
    malformedLines: lines,
    firstMalformed: first.slice(0, 5).map(({ line, why }) => `line ${String(line)}: ${why}`),
  };
}

const definedOf = (columns: TraceColumns): Record<string, string> =>
  Object.fromEntries(Object.entries(columns).filter((entry): entry is [string, string] => entry[1] !== undefined));

function theOne<Holds extends FitFile['holds']>(
  opened: readonly FitFile[],
  holds: Holds,
): Extract<FitFile, { holds: Holds }> | undefined {
  const found = opened.filter((each): each is Extract<FitFile, { holds: Holds }> => each.holds === holds);
  if (found.length > 1)
    throw usageError(
      `${found.map(({ file }) => file).join(' and ')} both contain ${holds === 'trace' ? 'a trace' : 'conversations'}.`,
      'Use one trace, one file of conversations, or one of each.',
    );
  return found[0];
}

type FitFile =
  | { holds: 'trace'; file: string; source: OpenedTrace }
  | { holds: 'conversations'; file: string; source: CountedConversations };

/** Opens a file as conversations or as a trace. Throws a usage error if it is neither. */
async function openInput(file: string, reading: TraceReading): Promise<FitFile> {
  const start = startOf(file);
  if (reading.columns === undefined) {
    if (await holdsConversations(file, start)) return asConversations(file);
    const source = await openTrace(file, reading).catch((thrown: unknown) => {
      throw ofNeither(file, thrown);
    });
    return { holds: 'trace', file, source };
  }
  // A file with the named columns is the trace, whatever else it contains.
  try {
    return { holds: 'trace', file, source: await openTrace(file, reading) };
  } catch (thrown) {
    if (await holdsConversations(file, start)) return asConversations(file);
    throw thrown;
  }
}

/** Rewords the error of a file that may have been meant to contain conversations. */
function ofNeither(file: string, thrown: unknown): unknown {
  if (!(thrown instanceof ChatLoadError)) return thrown;
  const [, seen] = thrown.message.split(unknownForm);
  if (seen === undefined) return thrown;
  return usageError(
    `${file} is neither a trace nor a file of conversations: ${seen}`,
    `${thrown.hint}\nKnown conversations are ${formatNames.join(', ')}; docs/reference/datasets.md describes each format.`,
    thrown,
  );
}

const asConversations = async (file: string): Promise<FitFile> => ({
  holds: 'conversations',
  file,
  source: await openConversations(file),
});

function startOf(file: string): Buffer {
  try {
    return readHead(file);
  } catch (thrown) {
    throw usageError(
      `Cannot read ${file}: ${fileReason(thrown)}.`,
      'Name a trace (docs/reference/traces.md) or a file of conversations (docs/reference/datasets.md).',
      thrown,
    );
  }
}

/** Reports whether a file contains conversations in any format; opening it reports whether it must be converted. */
async function holdsConversations(file: string, start: Buffer): Promise<boolean> {
  const container = containerOf(file, start);
  if (container === 'json') return !traceNames.test(textAt(start)) || conversationNames.test(textAt(start));
  if (container === undefined) return false;
  if (container === 'csv' && namesRoles(start)) return true;
  try {
    const records = await openRecords(file, isReadColumn);
    return formOf((await firstValues(records)).values) !== undefined;
  } catch {
    // Lines of a log may not form a table.
    return false;
  }
}

/** Fields of traces; conversations may have a length, too. */
const traceNames = /"(?:resourceSpans|resource_spans|startTimeUnixNano|start_time_unix_nano|input_length)"\s*:/;
const conversationNames = /"(?:messages|conversations?|turns)"\s*:/;

function namesRoles(start: Buffer): boolean {
  const names = firstLine(textAt(start))
    .toLowerCase()
    .split(/[,;\t]/);
  return names.some((name) => name.replace(/["\s]/g, '') === 'role');
}
