import { extname } from 'node:path';
import { usageError } from '../../base/errors.ts';
import type { Ms } from '../../base/time.ts';
import { formatByExtension, formatsOf, type Kind } from '../../report/documents.ts';
import { readDuration, unitHint } from '../../scenario/duration.ts';
import { each, must, on, oneOf, reading, text, type Row } from './rows.ts';

interface Bounds {
  minMs?: number;
  maxMs?: number;
  range?: string;
  example: string;
}

/** Declares a duration within bounds. */
export function duration<Given extends string | undefined>(
  row: Row<Given>,
  { minMs = 0, maxMs = Infinity, range, example }: Bounds,
): Row<Ms | Extract<Given, undefined>> {
  return reading(row, (given, flag) => {
    const read = readDuration(given);
    if (read !== undefined && read >= minMs && read <= maxMs) return read;
    throw usageError(
      `${flag} takes a duration${range === undefined ? '' : ` ${range}`}, not '${given}'${unitHint(given)}.`,
      `For example ${example}.`,
    );
  });
}

export const upToAnHour = { maxMs: 3_600_000, range: 'up to 1h' } as const;

/** Flags of a command whose document can be printed in several formats, and written to files. */
export function output(kind: Kind) {
  return {
    format: oneOf(formatsOf(kind), 'Format of standard output', { defaultDescription: 'terminal' }),
    json: on('Same as --format json'),
    report: reports(kind),
  };
}

/** Declares the flag of reports to write to files. */
export function reports(kind: Kind): Row<string[]> {
  return each(`Also write a report to FILE; its extension selects the format: ${extensionsOf(kind)}; may be repeated`, {
    default: [],
  });
}

/** Lists the file extensions of the formats of a kind. */
export function extensionsOf(kind: Kind): string {
  return [...formatByExtension]
    .filter(([, format]) => formatsOf(kind).includes(format))
    .map(([extension, format]) => (format === 'junit' ? `${extension} (JUnit)` : extension))
    .join(', ');
}

const isFileName = (path: string): boolean =>
  formatByExtension.has(extname(path).toLowerCase()) || /\.(?:jsonl|ndjson)$/i.test(path);

/** Declares a folder for results; the name of a file in its place is an error, not a folder of that name. */
export function folder<Given extends string | undefined>(row: Row<Given>): Row<Given> {
  return must(row, (path) => !isFileName(path), [
    (path, flag) => `${flag} names a folder, but ${path} looks like a file.`,
    'Results get names of their own in the folder, such as results/NAME-TIME.json. To write a report to a file as well: --report FILE.',
  ]);
}

/** Flags of several commands, which may describe them in their own words. */
export const shared = {
  out: folder(text('Write result files to this folder', { default: 'results', environment: 'CHAT_LOAD_OUT' })),
  label: text('Name this run, in the result and in its file name', { environment: 'CHAT_LOAD_LABEL' }),
  quiet: on('Print only failures, the target and the path of the result', { alias: 'q' }),
  'dry-run': on('Check everything and print the plan, but send nothing'),
  json: on('Print only the document, as JSON'),
  'reply-time': text('Assume replies of this duration, for example 800ms'),
  host: text('Listen on this address', { default: '127.0.0.1' }),
};
export function describedAs<Value>(row: Row<Value>, describe: string): Row<Value> {
  return { ...row, describe };
}
