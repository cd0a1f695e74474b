import pc from 'picocolors';
import { describe, expect, test } from 'vitest';
import { finishedRun, resultOf } from '../../../test/support/synthetic-result.ts';
import type { PolicyPair } from '../../result/policies/policy-verdict.ts';
import type { Result } from '../../result/result.ts';
import { writeTerminal } from '../outline/write-terminal.ts';
import { policySection } from './policy-section.ts';
import { retrySection } from './retry-section.ts';
import { showText } from './shown-run.ts';

const style = { colors: pc.createColors(false), width: 80 };
const policyLines = (told: Result): string => writeTerminal([policySection(showText(told))], style);
const retryTable = (told: Result): string => writeTerminal([retrySection(showText(told))], style);
const result = resultOf(finishedRun({ retry: { hasty: { base: '1ms' }, patient: { base: '1s' } } }));

/** The result with replaced figures in its verdict. */
function withVerdict(change: Partial<PolicyPair>): Result {
  const copy = structuredClone(result);
  const figures = [
    { sessions: 300, goodputShare: 0.714, amplification: 2.34, backoffActualPerTurnMs: 0.05 },
    { sessions: 300, goodputShare: 0.931, amplification: 1.21, backoffActualPerTurnMs: 340 },
  ];
  figures.forEach((figure, index) => {
    const around = (value: number) => ({ value, low: value * 0.98, high: value * 1.02 });
    const { sessions, goodputShare, amplification, backoffActualPerTurnMs } = figure;
    const policy = copy.retries.policies[index];
    if (policy === undefined) throw new Error('two policies');
    policy.intervals = {
      sessions,
      goodputShare: around(goodputShare),
      servedShare: around(goodputShare),
      amplification: around(amplification),
      backoffActualPerTurnMs: around(backoffActualPerTurnMs),
    };
  });
  const differences = {
    goodputShare: { value: 0.217, low: 0.189, high: 0.245 },
    servedShare: { value: 0.217, low: 0.189, high: 0.245 },
    amplification: { value: -1.13, low: -1.3, high: -0.96 },
    backoffActualPerTurnMs: { value: 340, low: 290, high: 390 },
  };
  const pair = {
    policy: 'patient',
    other: 'hasty',
    sessions: 600,
    goodput: 'more',
    cost: 'less',
    differences,
  } as const;
  copy.retries.verdict = { confidence: 0.95, comparisons: 1, pairs: [{ ...pair, ...change }] };
  return copy;
}

/** On one line, without the remark on the shared service. */
const words = (told: Result): string =>
  policyLines(told)
    .replace(/\s+/g, ' ')
    .replace(/ The policies shared one service.*$/, '');

describe('the closing line of several policies', () => {
  test('shows the policy with more goodput, the confidence, and the cost', () => {
    expect(words(withVerdict({}))).toBe(
      'POLICIES patient achieved more goodput than hasty: 93.1 % against 71.4 % of turns (+21.7 points, 95 % interval 18.9 to 24.5 over 600 ended sessions), and cost the service less: 1.21 against 2.34 attempts per turn. Backoff took 340 ms per turn against 50.0 µs.',
    );
  });

  test('states that no policy is shown to be better, and still shows the cost', () => {
    const differences = { ...withVerdict({}).retries.verdict?.pairs[0]?.differences };
    const servedShare = { value: 0.004, low: -0.012, high: 0.02 };
    const told = words(
      withVerdict({
        goodput: 'no_difference_shown',
        differences: { ...(differences as PolicyPair['differences']), servedShare },
      }),
    );
    expect(told).toContain(
      'no significant difference in goodput between patient and hasty: 93.1 % against 71.4 % of turns',
    );
    expect(told).toContain(
      '(+0.4 points, 95 % interval −1.2 to 2.0 over 600 ended sessions); patient cost the service less:',
    );
  });

  test('counts sessions that were not created apart', () => {
    expect(words(withVerdict({ sessions: 640 }))).toContain('over 600 ended sessions and 40 that were not created)');
  });

  test('reports that neither goodput nor cost differs', () => {
    const told = words(withVerdict({ goodput: 'no_difference_shown', cost: 'no_difference_shown' }));
    expect(told).toContain('; no significant difference in cost to the service: 1.21 against 2.34 attempts per turn.');
  });

  test('explains the missing data if there are too few sessions', () => {
    const none = { goodputShare: null, servedShare: null, amplification: null, backoffActualPerTurnMs: null };
    const told = words(withVerdict({ goodput: 'too_few_sessions', cost: 'too_few_sessions', differences: none }));
    expect(told).toBe('POLICIES no verdict on patient and hasty: each needs 30 ended sessions, they had 300 and 300.');
  });

  test('fits the width, states that the service was shared, and is not there for one policy', () => {
    const lines = policyLines(withVerdict({})).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines.join(' ').replace(/\s+/g, ' ')).toContain('The policies shared one service');
    expect(policyLines(resultOf(finishedRun()))).toBe('');
  });
});

describe('the retry table', () => {
  test('has intervals if there are several policies, at 80 columns', () => {
    const four = resultOf(
      finishedRun({
        retry: { none: 'none', immediate: { base: 0 }, fullJitter: {}, decorrelated: {} },
        objective: '1s',
      }),
    );
    const table = retryTable(four);
    expect(table.match(/95 % interval/g)).toHaveLength(3);
    expect(table).toMatch(/share ok within 1\.00 s .*\n {4}95 % interval( +[\d.]+–[\d.]+ %){4}/);
    expect(Math.max(...table.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(retryTable(resultOf(finishedRun()))).not.toContain('interval');
  });

  test('has the figures of the closing line, which are of the same sessions', () => {
    const table = retryTable(result);
    const row = (label: string): string[] =>
      new RegExp(`^ *${label} +(\\S.*)$`, 'm').exec(table)?.[1]?.split(/ {2,}/).toSorted() ?? [];
    const seen = /: (\S+ %) against (\S+ %) of turns \(.* over (\d+) ended.*: (\S+) against (\S+) attempts/.exec(
      words(result),
    );
    const [, share, otherShare, ended, attempts, otherAttempts] = seen ?? [];
    expect(row('share of turns ok')).toEqual([share, otherShare].toSorted());
    expect(row('attempts per turn').map((each) => Number(each).toFixed(2))).toEqual(
      [attempts, otherAttempts].toSorted(),
    );
    expect(row('ended sessions').reduce((sum, each) => sum + Number(each), 0)).toBe(Number(ended));
  });

  test('has only ratios over ended sessions for several policies, and over everything sent for one', () => {
    expect(retryTable(result)).not.toContain('amplification');
    const alone = retryTable(resultOf(finishedRun()));
    expect(alone).toMatch(/^amplification +\d\.\d{3}$/m);
    expect(alone).not.toContain('ended sessions');
  });
});
