import { ChatLoadError } from '../../base/errors.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import type { Fit } from '../../fit/document/fit.ts';
import { fitWorkload, type FitSettings } from '../../fit/fit-workload.ts';
import type { TraceColumns, TraceReading } from '../../trace/trace.ts';
import { openInput, type FitFile } from './open-input.ts';

/** What to fit to, and how. */
export interface FitRequest extends FitSettings {
  /** A trace, conversations, or one of each. */
  files: readonly string[];
  reading: TraceReading;
}

/** Fits a workload to files. Throws a usage error where they cannot be read, or are two of a kind. */
export async function performFit({ files, reading, ...settings }: FitRequest): Promise<Fit> {
  const opened: FitFile[] = [];
  for (const file of files) opened.push(await openInput(file, reading));
  const [trace, conversations] = [theOne(opened, 'trace'), theOne(opened, 'conversations')];
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
    })),
    ...(reading.columns === undefined ? {} : { columns: definedOf(reading.columns) }),
    ...(reading.sort === true ? { sort: true } : {}),
    ...settings,
    ...fitWorkload({ trace: trace?.source, conversations: conversations?.source }, settings),
  };
}

/** Lines that are named. */
const mostNamed = 5;

function malformedOf(input: FitFile): Pick<Fit['inputs'][number], 'malformedLines' | 'firstMalformed'> {
  if (input.holds === 'trace') {
    const { count, first } = input.source.facts.malformed;
    return { malformedLines: count, firstMalformed: first.map(({ line, why }) => `line ${String(line)} ${why}`) };
  }
  const { lines, first } = input.source.skipped;
  return {
    malformedLines: lines,
    firstMalformed: first.slice(0, mostNamed).map(({ line, why }) => `line ${String(line)}: ${why}`),
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
    throw new ChatLoadError('usage', {
      message: `${found.map(({ file }) => file).join(' and ')} both hold ${holds === 'trace' ? 'a trace' : 'conversations'}.`,
      hint: 'Give one trace, one file of conversations, or one of each.',
    });
  return found[0];
}
