import { describe, expect, test } from 'vitest';
import { comparisons } from '../../../test/support/synthetic-comparison.ts';
import { exitCodeOfComparison } from '../../cli/perform/compare.ts';
import { comparisonVerdictLine } from './comparison-ends.ts';

const starts = { 0: /^(PASSED(, |$)|INCONCLUSIVE: \S)/, 1: /^FAILED: \S/, 4: /^INVALID: \S/ };

describe.each(Object.entries(comparisons))('the last line of a comparison (%s)', (_, comparison) => {
  test.each([
    { failOnInconclusive: false, violatedRuns: 0 },
    { failOnInconclusive: true, violatedRuns: 0 },
    { failOnInconclusive: false, violatedRuns: 2 },
  ])('agrees with the exit code and is one line (%o)', (stakes) => {
    const line = comparisonVerdictLine({ ...comparison, ...stakes });
    const code = exitCodeOfComparison({ ...comparison, ...stakes }) as keyof typeof starts;
    expect(line).toMatch(starts[code]);
    expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
  });
});

test('the last line of an inconclusive comparison shows the smallest change that could be seen', () => {
  const { inconclusive, notConfirmed } = comparisons;
  if (inconclusive === undefined || notConfirmed === undefined) throw new Error('no such comparison');
  expect(comparisonVerdictLine(inconclusive)).toBe(
    'INCONCLUSIVE: a change of less than 20.8 % (turn.ok.p99) cannot be seen with 3 runs per side; use chat-load ab',
  );
  expect(comparisonVerdictLine(notConfirmed)).toBe(
    'INCONCLUSIVE: a second set of runs did not show the regression again',
  );
});

test('the last line shows the changes and their size; the evidence is above it', () => {
  const assumption = 'One batch of runs per side and no history: batches are assumed to differ by 5 %.';
  const { regressed } = comparisons;
  if (regressed === undefined) throw new Error('no such comparison');
  const comparison = { ...regressed, summary: `${assumption} ${regressed.summary}` };
  const line = comparisonVerdictLine(comparison);
  expect(line).toMatch(/^FAILED: regressed: \S+ \+/);
  expect(line).not.toContain('assumed');
  expect(line.length).toBeLessThan(160);
});
