import { expect, test } from 'vitest';
import { finishedRun, resultOf, surroundings } from '../../test/support/synthetic-result.ts';
import type { Result } from '../result/result.ts';
import { assumedDegreesOf } from './assumed-degrees.ts';

const result = resultOf(finishedRun());
const { environment } = surroundings;
const at = (startedAt: string, over: Partial<Result> = {}): Result => ({
  ...result,
  ...over,
  run: { ...result.run, startedAt },
});
const degreesOf = (base: readonly Result[], head: readonly Result[]): number => {
  const [ofBase, ofHead] = [base, head].map((results) => results.map((each) => ({ file: null, result: each })));
  return assumedDegreesOf({ base: { label: 'v1', runs: ofBase ?? [] }, head: { label: 'v2', runs: ofHead ?? [] } });
};
const first = at('2026-01-31T02:00:00.000Z');

test('the assumed noise is known for runs that started within 24 hours on one machine', () => {
  expect(degreesOf([first], [at('2026-02-01T02:00:00.000Z')])).toBe(Infinity);
});

test.each([
  ['started further apart', at('2026-02-01T02:00:01.000Z')],
  [
    'were sent from another machine',
    at('2026-01-31T03:00:00.000Z', { environment: environment && { ...environment, host: 'lab-2' } }),
  ],
  ['were sent from an unknown machine', at('2026-01-31T03:00:00.000Z', { environment: null })],
])('the assumed noise is worth 8 degrees of freedom if runs %s', (_, other) => {
  expect(degreesOf([first], [other])).toBe(8);
  expect(degreesOf([first, other], [first])).toBe(8);
});
