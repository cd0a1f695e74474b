import { describe, expect, test } from 'vitest';
import { finishedRun, resultOf, snapshotOf } from '../../../test/support/synthetic-result.ts';
import { planFor } from '../../../test/support/synthetic-run.ts';
import { instant, ms } from '../../base/time.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { checkNames, type CheckName } from '../../session/integrity/finding.ts';
import type { IntegrityRecord, Observer } from '../../session/observer.ts';
import { metricNamed } from '../metrics/metrics.ts';
import type { Result } from '../result.ts';

/** The result of a run of ten seconds with only the findings reported here. */
function resultFrom(scenario: Partial<Scenario>, tell: (observer: Observer) => void): Result {
  const plan = planFor(scenario);
  return resultOf({ plan, snapshot: snapshotOf(plan, 10_000, tell) });
}

const upTo = (name: CheckName): CheckName[] => checkNames.slice(0, checkNames.indexOf(name) + 1);

const looked = (over: Partial<IntegrityRecord> = {}, policy = 0): IntegrityRecord => {
  const [countedFrom, endedAt] = [over.countedFrom ?? instant(3000), over.endedAt ?? instant(3500)];
  return {
    session: { number: 7, policy, due: countedFrom, startedAt: countedFrom },
    turn: 4,
    countedFrom,
    endedAt,
    failed: undefined,
    detail: '',
    turnsBetween: undefined,
    retriesBetween: undefined,
    idleMs: undefined,
    turnFaults: undefined,
    checked: over.failed === undefined ? checkNames : upTo(over.failed),
    untagged: false,
    afterAmbiguousRetry: false,
    ...over,
  };
};

const countsOf = ({ integrity }: Result, name: CheckName) => integrity.checks.find((check) => check.name === name);
const valueOf = (name: string, result: Result) => metricNamed(name)?.read(result).value;

describe('the integrity of a run', () => {
  test('passes when no reply broke a check, and fails when one did', () => {
    const good = resultFrom({ integrity: true }, (observer) => observer.integrity(looked()));
    expect(good.integrity).toMatchObject({ enabled: true, mode: 'active', verdict: 'pass', replies: 1, failed: 0 });
    const bad = resultFrom({ integrity: true }, (observer) => {
      for (let i = 0; i < 99; i++) observer.integrity(looked());
      observer.integrity(looked({ failed: 'crossed' }));
    });
    expect(bad.integrity).toMatchObject({ verdict: 'fail', replies: 100, failed: 1 });
  });

  test('has no data when there was no reply, and is off without a guard', () => {
    expect(resultFrom({ integrity: 'passive' }, () => undefined).integrity).toMatchObject({
      enabled: true,
      mode: 'passive',
      verdict: 'no-data',
    });
    expect(resultFrom({ integrity: false }, () => undefined).integrity).toMatchObject({
      enabled: false,
      mode: 'off',
      verdict: 'off',
    });
  });

  test('is counted by check, in the order of checking', () => {
    const result = resultFrom({ integrity: true }, (observer) => {
      observer.integrity(looked({ checked: ['answered', 'crossed'] }));
      observer.integrity(looked({ failed: 'crossed' }));
      observer.integrity(looked({ failed: 'leakage' }));
    });
    expect(result.integrity.checks.map(({ name }) => name)).toEqual([...checkNames]);
    expect(countsOf(result, 'crossed')).toMatchObject({ checked: 3, failed: 1 });
    expect(countsOf(result, 'leakage')).toMatchObject({ checked: 1, failed: 1 });
    expect(countsOf(result, 'continuity')).toMatchObject({ checked: 0, failed: 0 });
  });

  test('counts the errors in lists of turns, and replies after ambiguous retries separately', () => {
    const { integrity } = resultFrom({ integrity: true }, (observer) => {
      const turnFaults = { lost: 1, duplicated: 2, reordered: 3, repeated: 4 };
      observer.integrity(looked({ failed: 'turns', turnFaults, afterAmbiguousRetry: true }));
      observer.integrity(looked({ afterAmbiguousRetry: true }));
      observer.integrity(looked({ failed: 'crossed' }));
    });
    expect(integrity.turns).toEqual({ lost: 1, duplicated: 2, reordered: 3, repeated: 4 });
    expect(integrity.afterAmbiguousRetry).toEqual({ checked: 2, failed: 1 });
  });

  test('of the warm-up is in no figure, but in the verdict, the counts and the examples', () => {
    const { integrity, books, intervals } = resultFrom({ integrity: true, warmUp: '2s' }, (observer) => {
      observer.integrity(looked({ failed: 'stale', countedFrom: instant(1000), endedAt: instant(1500) }));
      observer.integrity(looked());
    });
    expect(integrity).toMatchObject({ verdict: 'fail', replies: 1, failed: 0 });
    expect(books.integrity).toEqual({ replies: 2, failed: 1 });
    expect(books.warmUp.integrity).toEqual({ replies: 1, failed: 1 });
    expect(integrity.examples).toMatchObject([{ check: 'stale', atMs: 1500 }]);
    expect(intervals.flatMap(({ startMs, integrity: { failed } }) => (failed > 0 ? [[startMs, failed]] : []))).toEqual([
      [1000, 1],
    ]);
  });

  test('keeps ten examples, with the turns between for a forgotten code', () => {
    const { integrity } = resultFrom({ integrity: true }, (observer) => {
      const forgotten = { turnsBetween: 3, retriesBetween: 1, idleMs: ms(400_000), detail: 'it is gone' };
      observer.integrity(looked({ failed: 'amnesia', ...forgotten }));
      for (let i = 0; i < 20; i++) observer.integrity(looked({ failed: 'answered', endedAt: instant(4000 + i) }));
    });
    expect(integrity.failed).toBe(21);
    expect(integrity.examples).toHaveLength(10);
    const place = { check: 'amnesia', session: 7, turn: 4, detail: 'it is gone', atMs: 3500 };
    expect(integrity.examples[0]).toEqual({ ...place, turnsBetween: 3, retriesBetween: 1, idleMs: 400_000 });
    expect(integrity.examples[1]).toMatchObject({ check: 'answered', turnsBetween: null, idleMs: null });
  });

  test('is counted by retry policy', () => {
    const { integrity, retries } = resultFrom({ integrity: true, retry: { a: {}, b: {} } }, (observer) => {
      observer.integrity(looked({ failed: 'stale' }, 1));
      observer.integrity(looked({}, 1));
      observer.integrity(looked({}, 0));
    });
    expect(retries.policies.map((each) => [each.integrity.replies, each.integrity.failed])).toEqual([
      [1, 0],
      [2, 1],
    ]);
    expect(integrity).toMatchObject({ replies: 3, failed: 1 });
  });
});

describe('metrics of integrity', () => {
  const result = resultFrom({ integrity: true }, (observer) => {
    observer.integrity(looked({ failed: 'crossed' }));
    observer.integrity(looked({ failed: 'leakage' }));
    observer.integrity(looked({ failed: 'leakage' }));
  });

  test('count the replies that broke any check, and each', () => {
    expect(valueOf('integrity.failed', result)).toBe(3);
    expect(valueOf('integrity.leakage.failed', result)).toBe(2);
    expect(valueOf('integrity.answered.failed', result)).toBe(0);
  });

  test('have no value for a check that was never made', () => {
    expect(valueOf('integrity.continuity.failed', result)).toBeNull();
  });
});

test('published integrity that differs from the intervals makes the counts inconsistent', () => {
  const run = finishedRun({ integrity: true });
  const [interval] = run.snapshot.intervals.filter(({ counters }) => counters.integrity?.['replies'] !== undefined);
  expect(resultOf(run).books.balanced).toBe(true);
  if (interval?.counters.integrity !== undefined) interval.counters.integrity['replies'] = 1_000_000;
  expect(resultOf(run).books.broken.map(({ name }) => name)).toEqual([
    'totals = sum over intervals: integrity',
    'published replies examined by the integrity guard = sum over intervals',
  ]);
});
