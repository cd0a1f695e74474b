import { expect, test } from 'vitest';
import { maxIntervalEntries } from '../../src/record/interval-width.ts';
import { snapshotSchema } from '../../src/record/snapshot.ts';
import { resultSchema } from '../../src/result/result.ts';
import { maxPolicies } from '../../src/scenario/retry-options.ts';

/** The messages about a list itself; its entries do not matter here. */
function problemsOf(
  schema: typeof snapshotSchema | typeof resultSchema,
  path: readonly string[],
  length: number,
): string[] {
  const document = path.reduceRight<unknown>((value, key) => ({ [key]: value }), new Array(length).fill(null));
  const issues = schema.safeParse(document).error?.issues ?? [];
  return issues.filter((issue) => issue.path.join('.') === path.join('.')).map(({ message }) => message);
}

test.each([
  [snapshotSchema, ['totals'], 2000],
  [snapshotSchema, ['intervals'], 2000],
  [snapshotSchema, ['levels'], maxIntervalEntries],
  [resultSchema, ['intervals'], maxIntervalEntries],
  [resultSchema, ['retries', 'policies'], maxPolicies],
  [resultSchema, ['retries', 'verdict', 'pairs'], maxPolicies],
] as const)('a list may have its maximum number of entries, and no more: %# %j', (schema, path, max) => {
  expect(problemsOf(schema, path, max)).toEqual([]);
  expect(problemsOf(schema, path, max + 1)).toEqual([`it has more than ${String(max)} entries, which no run has`]);
});
