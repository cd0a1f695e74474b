import { ChatLoadError } from '../../base/errors.ts';
import { isObject } from '../../base/is-object.ts';
import { listFirst } from '../../base/format.ts';
import { nameOrLength } from '../../base/excerpt.ts';
import { printable } from '../../base/printable.ts';
import { formatNames, type DatasetFormat, type Fit, type FormatName } from './format.ts';
import { claudeExport, lmsys, sharegpt, wildchat } from './chat-exports.ts';
import { anthropic, openai } from './model-apis.ts';
import { pairs, rows } from './rows.ts';
import { normalName, type TableColumns } from './table-columns.ts';
import { runExamples } from './run-examples.ts';

/** Detects the form of a file from its first records. Throws a usage error that describes them if none or several fit. */
export function recognize(file: string, values: readonly unknown[]): FormatName {
  const form = formOf(values);
  if (form === undefined) throw unrecognized(file, values);
  return form;
}

/** Detects the form of records; `undefined` if none or several fit. */
export function formOf(values: readonly unknown[]): FormatName | undefined {
  const whole = fitting(values);
  const max = whole.filter(({ certain, possible }) => certain + possible === maxOf(whole));
  const [first, ...others] = max.filter(({ certain }) => certain === Math.max(...max.map((fit) => fit.certain)));
  const isAmbiguous = first !== undefined && first.certain > 0 && others.length > 0;
  return isAmbiguous || isMixed(whole) ? undefined : first?.name;
}

/** Returns the forms that fit any of the records. */
function fitting(values: readonly unknown[]): Fits[] {
  const records = values.filter(isObject);
  return formatNames
    .map((name): Fits => {
      const fits = records.map((record) => datasetFormats[name].fit(record));
      const countOf = (kind: Fit): number => fits.filter((fit) => fit === kind).length;
      return { name, certain: countOf('certain'), possible: countOf('possible') };
    })
    .filter(({ certain, possible }) => certain + possible > 0);
}

interface Fits {
  name: FormatName;
  certain: number;
  possible: number;
}

const maxOf = (fits: readonly Fits[]): number => Math.max(...fits.map(({ certain, possible }) => certain + possible));

/** Reports whether some records certainly have one form, and others another. */
const isMixed = (fits: readonly Fits[]): boolean => fits.filter(({ certain }) => certain > 0).length > 1;

function unrecognized(file: string, values: readonly unknown[]): ChatLoadError {
  const fits = fitting(values);
  const problem =
    fits.length === 0
      ? `${file} has none of the known forms: its first record is ${seen(values[0])}`
      : `${file} may be of several forms: ${fits.map(({ name, certain, possible }) => `${name} (${String(certain + possible)} of its first ${String(values.length)} records)`).join(', ')}`;
  return new ChatLoadError('usage', {
    message: `${problem}.`,
    hint: `Name the columns of a table, such as --columns user=incoming,assistant=outgoing,conversation=ticket or --columns conversation=thread,role=author,content=text; or name the form with --from, if it is one of these:\n${formatNames.map((name) => `  ${name.padEnd(14)} ${datasetFormats[name].shape}`).join('\n')}`,
  });
}

/** Describes a record by the names of its fields only: values may be personal. */
function seen(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (!isObject(value)) return value === undefined ? 'missing' : `a ${typeof value}`;
  const names = Object.keys(value).map((name) => printable(nameOrLength(name, maxNameLength)));
  return names.length === 0 ? 'without fields' : `an object with ${listFirst(names, maxNames)}`;
}

const maxNameLength = 40;
const maxNames = 30;

export const datasetFormats: Readonly<Record<FormatName, DatasetFormat>> = {
  openai,
  anthropic,
  sharegpt,
  lmsys,
  wildchat,
  'claude-export': claudeExport,
  'chat-load': runExamples,
  rows,
  pairs,
};

const readFields: ReadonlySet<string> = new Set(formatNames.flatMap((name) => datasetFormats[name].fields));

/** Reports whether any form reads a column of a table, or the column is named in a mapping. */
export function isReadColumn(column: string, mapping: TableColumns = {}): boolean {
  const name = normalName(column);
  return (
    readFields.has(column) ||
    readFields.has(name) ||
    Object.values(mapping).some((each) => normalName(each.split('.')[0] ?? '') === name || normalName(each) === name)
  );
}
