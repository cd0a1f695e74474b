import { z } from 'zod';
import { isObject } from '../base/is-object.ts';
import { closedObject, readWith } from './closed-object.ts';
import type { DataList } from './scenario-values.ts';

/** A list as read: its rows, or the file that contains them. `weight` names the field with a row's relative frequency. */
export type ReadList = { rows: readonly unknown[]; weight?: string | undefined } | { file: string };

const expected = {
  error:
    'expected rows in an array (at least one), or { file } naming a CSV or JSONL file; with `weight`, { file } or { rows }',
};
const rows = z.array(z.unknown(), expected).min(1, expected);
const weight = z.string({ error: 'expected the name of a field' }).min(1).optional();
const bare = rows.transform((given): ReadList => ({ rows: given }));
const inFile = closedObject({ file: z.string().min(1), weight });
const inline = closedObject({ rows, weight });

/** The schema of one list of `data`; selects the form by its shape, so that a problem is reported for the intended form. */
export const listOption = z
  .custom<DataList>(() => true)
  .transform((value, context) => readWith(formOf(value), value, context));

function formOf(value: unknown): z.ZodType<ReadList> {
  if (!isObject(value)) return bare;
  return 'file' in value ? inFile : inline;
}
