import { written } from '../support/render-outline.ts';
import { comparisonReport } from '../../src/report/comparison/comparison-outline.ts';
import { describe, expect, test } from 'vitest';
import { releaseRun } from '../support/release-run.ts';
import { comparisonVerdictLine } from '../../src/report/comparison/comparison-ends.ts';
import type { Result } from '../../src/result/result.ts';
import { compareResults } from '../../src/compare/compare-results.ts';
import { comparisonSchema, type Comparison } from '../../src/compare/document/comparison.ts';
import { confirmAlarm } from '../../src/compare/confirm-alarm.ts';

type Reason = Result['validity']['reasons'][number];
const reason = (code: string, blame: Reason['blame'], severity: Reason['severity'] = 'invalid'): Reason => ({
  code,
  severity,
  message: code.replaceAll('_', ' '),
  remedy: '',
  blame,
});
const dead = [reason('no_turn_finished', 'service')];
const busy = [reason('event_loop_late', 'generator')];

/** A run of a side and pair; with reasons, one that is not valid: in a dead one nothing finished. */
function runOf(side: string, pair: number, reasons: readonly Reason[] = []): Result {
  const isDead = reasons.some(({ code }) => code === 'no_turn_finished');
  const run = releaseRun({
    id: `${side}-${String(pair)}`,
    draw: pair,
    sitting: 'tonight',
    pair: String(pair),
    intervals: 14,
    turnsPerInterval: isDead ? 0 : 40,
  });
  const severities = reasons.map(({ severity }) => severity);
  const verdict = severities.includes('invalid') ? 'invalid' : severities.length > 0 ? 'degraded' : 'valid';
  return { ...run, validity: { verdict, reasons: [...reasons] } };
}
const sideOf = (label: string, runs: readonly (readonly Reason[])[]) => ({
  label,
  runs: runs.map((reasons, at) => ({ file: `${label}-${String(at)}.json`, result: runOf(label, at, reasons) })),
});
const compare = (
  head: readonly (readonly Reason[])[],
  base: readonly (readonly Reason[])[] = [[], [], []],
): Comparison => compareResults({ toolVersion: '1.2.3', base: sideOf('base', base), head: sideOf('head', head) });
const lineOf = (comparison: Comparison): string => comparisonVerdictLine(comparison);

describe('a head whose service finished no turn, against a healthy base', () => {
  const comparison = compare([[], dead, []]);

  test('has regressed, with the reason', () => {
    expect([comparison.verdict, comparison.comparability.refusals]).toEqual(['regressed', []]);
    expect(comparison.summary).toBe('Regressed: the service made 1 of 3 runs of the head invalid (no turn finished).');
    expect(lineOf(comparison)).toBe(
      'FAILED: regressed: the service made 1 of 3 runs of the head invalid (no turn finished)',
    );
    expect(comparison.broken).toEqual([{ id: 'head-1', file: 'head-1.json', reason: 'no turn finished' }]);
    expect(comparisonSchema.parse(structuredClone(comparison))).toEqual(comparison);
  });

  test('is a separate failed case in JUnit', () => {
    expect(written(comparisonReport, comparison, { format: 'junit' })).toMatch(
      /name="head"[^>]*>\s*<failure message="[^"]*no turn finished/,
    );
  });

  test('has regressed whatever fresh runs show, and also if only the fresh runs are broken', () => {
    const well = compare([[], [], []]);
    expect(confirmAlarm(comparison, well).verdict).toBe('regressed');
    const slower = { ...well, verdict: 'regressed' as const };
    expect(confirmAlarm(slower, comparison).verdict).toBe('regressed');
  });

  test('has regressed if every run of it is dead', () => {
    expect(lineOf(compare([dead, dead, dead]))).toBe(
      'FAILED: regressed: the service made 3 of 3 runs of the head invalid (no turn finished)',
    );
  });
});

describe('runs that cannot be compared', () => {
  test('include a base that the service broke', () => {
    const comparison = compare([[], [], []], [[], dead, []]);
    expect([comparison.verdict, lineOf(comparison)]).toEqual([
      'not_comparable',
      expect.stringMatching(/^INVALID: not comparable: a run is invalid \(base .*invalid.*, head valid\)$/),
    ]);
  });

  test('include a head that generator and service degraded together', () => {
    expect(compare([[], [...dead, ...busy], []]).verdict).toBe('not_comparable');
  });

  test('leaves an alarm unchanged if fresh runs are of that kind', () => {
    const alarm = { ...compare([[], [], []]), verdict: 'regressed' as const };
    expect(confirmAlarm(alarm, compare([[], [], []], [dead, dead, dead]))).toMatchObject({
      verdict: 'regressed',
      summary: expect.stringContaining('The second set of runs cannot be compared'),
    });
  });
});

test('runs that the service degraded are compared: the effect is a separate metric', () => {
  const unanswered = [reason('turns_unanswered', 'service', 'degraded')];
  const comparison = compare([unanswered, unanswered, unanswered], [[], unanswered, []]);
  expect([comparison.comparability.refusals, comparison.broken]).toEqual([[], []]);
});

test('runs whose model calls belong to no known turn are compared, with a warning', () => {
  const unattributed = [reason('model_unattributed', 'generator', 'degraded')];
  const comparison = compare([unattributed, [], []], [[], unattributed, []]);
  expect(comparison.comparability.refusals).toEqual([]);
  expect(comparison.warnings.join()).toContain('Model calls of 2 runs belong to no known turn');
  expect(compare([[], []], [[], [...unattributed, ...busy]]).verdict).toBe('not_comparable');
});

describe('interleaved pairs', () => {
  const invalid = [reason('turns_late', 'generator')];
  const compared = (...sides: Parameters<typeof compare>): [remaining: number, warnings: string] => {
    const { head, warnings } = compare(...sides);
    return [head.runs.length, warnings.filter((each) => each.includes('omitted')).join()];
  };

  test('an invalid run is omitted with the run of its seed, if two per side remain', () => {
    expect(compared([invalid, [], []], [[], [], []])).toEqual([
      2,
      expect.stringMatching(
        /head-0.* was omitted, because it is invalid: .*base-0.* was omitted, because the run of its seed/,
      ),
    ]);
    expect(compare([invalid, []], [[], []]).verdict).toBe('not_comparable');
  });

  test('a run that its service broke is never omitted', () => {
    expect(compare([dead, [], []]).verdict).toBe('regressed');
    expect(compare([dead, [], []], [invalid, [], []]).verdict).toBe('not_comparable');
  });

  test('a run that the generator degraded is kept', () => {
    const late = [reason('figures_doubtful', 'generator', 'degraded')];
    expect(compared([[], late, []], [late, [], []])).toEqual([3, '']);
  });
});
