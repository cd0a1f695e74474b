import { unknownName } from '../base/unknown-name.ts';
import { valueAt } from '../base/is-object.ts';
import type { ScenarioProblem } from '../scenario/compile-value.ts';

/** A list of `data`, with the weights of its rows. */
export interface PickList {
  readonly rows: readonly unknown[];
  /** Cumulative weights of the rows; `undefined`: all rows are equally likely. */
  readonly weightsUpTo: Float64Array | undefined;
}

/** Returns the row for a draw from [0, 1). */
export function rowAt({ rows, weightsUpTo }: PickList, drawn: number): unknown {
  if (weightsUpTo === undefined) return rows[Math.floor(drawn * rows.length)];
  const total = weightsUpTo.at(-1) ?? 0;
  // Rounding may produce the total itself, which the last row with a weight reaches.
  const target = drawn * total;
  let [low, high] = [0, rows.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const reached = weightsUpTo[middle] ?? 0;
    if (reached > target || reached === total) high = middle;
    else low = middle + 1;
  }
  return rows[low];
}

/** Reads the weight of every row from a field, named by its dotted path; adds problems to `problems`. */
export function weighRows(
  rows: readonly unknown[],
  field: string,
  { path, problems }: { path: string; problems: ScenarioProblem[] },
): PickList {
  const report = (index: number, message: string): void => {
    problems.push({ path: `${path}.weight`, message: `row ${String(index + 1)}: ${message}` });
  };
  const values = rows.map((row) => valueAt(row, field.split('.')));
  const missing = values.indexOf(undefined);
  if (missing !== -1) report(missing, unknownName('field', field, fieldsOf(rows[missing])));
  const weights = values.map((value) => (value === undefined ? 0 : weightOf(value)));
  const wrong = weights.flatMap((weight, index) => (weight === undefined ? [index] : []));
  for (const index of wrong.slice(0, maxReported))
    report(index, `${field} must be a number that is at least 0, got ${JSON.stringify(values[index])}`);
  if (weights.every((weight) => weight === 0) && missing === -1)
    problems.push({ path: `${path}.weight`, message: `${field} is 0 in every row: at least one must be above 0` });
  let sum = 0;
  return { rows, weightsUpTo: Float64Array.from(weights, (weight) => (sum += weight ?? 0)) };
}

const maxReported = 10;

const fieldsOf = (row: unknown): string[] => (typeof row === 'object' && row !== null ? Object.keys(row) : []);

/** Reads a weight, also from the text of a CSV file; `undefined` if it is not a weight. */
function weightOf(value: unknown): number | undefined {
  const weight = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof weight === 'number' && Number.isFinite(weight) && weight >= 0 ? weight : undefined;
}
