import { expect, test } from 'vitest';
import { finishedRun, resultOf } from '../../test/support/synthetic-result.ts';
import { exitCodeOf, isNormalEnd, type JudgedRun } from './exit-code.ts';
import type { Stop } from './sections/run-facts.ts';

const result = resultOf(finishedRun({ gates: { 'turn.p50': '< 1h' } }));
const fine: JudgedRun = {
  ...result,
  validity: { verdict: 'valid', reasons: [] },
  integrity: { ...result.integrity, verdict: 'pass' },
};
const [passed] = fine.gates;
const bad = {
  books: { books: { ...fine.books, balanced: false } },
  stopped: { run: { ...fine.run, status: 'stopped' } },
  invalid: { validity: { verdict: 'invalid', reasons: [] } },
  failed: { gates: passed === undefined ? [] : [passed, { ...passed, verdict: 'fail' }] },
  noData: { gates: passed === undefined ? [] : [{ ...passed, verdict: 'no-data' }] },
  degraded: { validity: { verdict: 'degraded', reasons: [] } },
  mixedUp: { integrity: { ...fine.integrity, verdict: 'fail' } },
} as const satisfies Record<string, Partial<JudgedRun>>;

test('a run with passed gates exits with 0, a degraded one too', () => {
  expect(passed?.verdict).toBe('pass');
  expect(exitCodeOf(fine)).toBe(0);
  expect(exitCodeOf({ ...fine, ...bad.degraded })).toBe(0);
});

test.each([
  [{ ...bad.failed }, undefined, 1],
  [{ ...bad.noData }, undefined, 1],
  [{ ...bad.mixedUp }, undefined, 1],
  [{ ...bad.invalid }, undefined, 4],
  [{ ...bad.invalid, ...bad.mixedUp }, undefined, 4],
  [{ ...bad.stopped, ...bad.mixedUp }, undefined, 3],
  [{ ...bad.mixedUp }, 'SIGINT', 130],
  [{ ...bad.invalid, ...bad.failed }, undefined, 4],
  [{ ...bad.stopped }, undefined, 3],
  [{ ...bad.stopped, ...bad.invalid, ...bad.failed }, undefined, 3],
  [{}, 'SIGINT', 130],
  [{}, 'SIGTERM', 143],
  [{}, 'SIGHUP', 129],
  [{ ...bad.stopped, ...bad.invalid }, 'SIGTERM', 143],
  [{ run: { ...fine.run, status: 'interrupted' } }, undefined, 130],
  [{ ...bad.books }, undefined, 70],
  [{ ...bad.books, ...bad.stopped, ...bad.invalid, ...bad.failed }, 'SIGINT', 70],
] as const)(
  'if there are several reasons, the first in the order of exit codes decides (%#: %i)',
  (changed, signal, code) => {
    expect(exitCodeOf({ ...fine, ...changed }, signal)).toBe(code);
  },
);

const stoppedBy = (kind: Stop['kind'], more: Partial<JudgedRun> = {}): JudgedRun => ({
  ...fine,
  ...more,
  run: { ...fine.run, status: 'stopped', stop: { kind, reason: 'it did', remedy: null, atMs: 0 } },
});

test.each<[Stop['kind'], number, number]>([
  ['circuit', 3, 3],
  ['target_gone', 3, 3],
  ['no_success', 3, 3],
  ['target_unfit', 3, 3],
  ['journal', 3, 3],
  ['gate', 1, 1],
  ['cap', 0, 1],
  ['max_duration', 0, 1],
])('a run that was stopped by %s exits with %i, with %i if a gate failed', (kind, code, withFailedGate) => {
  expect([exitCodeOf(stoppedBy(kind)), exitCodeOf(stoppedBy(kind, bad.failed))]).toEqual([code, withFailedGate]);
});

test.each<[Stop['kind'], number]>([
  ['circuit', 3],
  ['gate', 1],
  ['cap', 0],
  ['signal', 130],
  ['scenario_error', 2],
  ['caller_error', 2],
  ['bug', 70],
])('a result recovered from a run that was stopped by %s exits with %i too', (kind, code) => {
  const { run, ...judged } = stoppedBy(kind);
  expect(exitCodeOf({ ...judged, run: { ...run, status: 'recovered' } })).toBe(code);
});

test.each<[Stop['kind'], boolean]>([
  ['cap', true],
  ['max_duration', true],
  ['gate', true],
  ['signal', false],
  ['circuit', false],
  ['no_success', false],
  ['target_gone', false],
  ['journal', false],
])('a stop by %s is a normal end, after which a batch continues: %s', (kind, goesOn) => {
  expect(isNormalEnd(stoppedBy(kind).run.stop)).toBe(goesOn);
});

test('a run that a cap left without usable figures is still invalid', () => {
  expect(exitCodeOf(stoppedBy('cap', bad.invalid))).toBe(4);
});

test('a requested guard that the agent does not support fails the run', () => {
  expect(exitCodeOf({ ...fine, integrity: { ...fine.integrity, verdict: 'unsupported' } })).toBe(1);
});

test.each(['off', 'no-data'] as const)('a guard with the verdict %s is not a reason to fail', (verdict) => {
  expect(exitCodeOf({ ...fine, integrity: { ...fine.integrity, verdict } })).toBe(0);
});

test('inconsistent counts of a recovered run are not a bug', () => {
  expect(exitCodeOf({ ...fine, books: { ...fine.books, balanced: null } })).toBe(0);
});
