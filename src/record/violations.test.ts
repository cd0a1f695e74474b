import fc from 'fast-check';
import { expect, test } from 'vitest';
import { instant } from '../base/time.ts';
import { checkNames } from '../session/integrity/finding.ts';
import type { IntegrityRecord } from '../session/observer.ts';
import { mergeViolations, maxViolations, Violations, type Violation } from './violations.ts';

const record = (failed: IntegrityRecord['failed'], changed: Partial<IntegrityRecord> = {}): IntegrityRecord => ({
  session: { number: 3, policy: 0, due: instant(0), startedAt: instant(0) },
  turn: 2,
  countedFrom: instant(0),
  endedAt: instant(0),
  checked: ['answered'],
  failed,
  detail: 'it was wrong',
  turnsBetween: undefined,
  retriesBetween: undefined,
  idleMs: undefined,
  turnFaults: undefined,
  untagged: false,
  afterAmbiguousRetry: false,
  ...changed,
});

const violation = fc.record<Violation>({
  check: fc.constantFrom(...checkNames),
  session: fc.integer({ min: 1, max: 50 }),
  turn: fc.integer({ min: 1, max: 4 }),
  detail: fc.constant('x'),
  turnsBetween: fc.constant(null),
  retriesBetween: fc.constant(null),
  idleMs: fc.constant(null),
  atMs: fc.integer({ min: 0, max: 200 }),
});

test('the first violation of every check is kept, then the earliest others, ten in all', () => {
  const kept = new Violations();
  for (let at = 0; at < 50; at++) kept.offer(record('crossed'), at);
  kept.offer(record('amnesia', { turnsBetween: 2, retriesBetween: 1 }), 99);
  kept.offer(record('amnesia'), 100);
  kept.offer(record(undefined), 0);
  const shown = kept.all().map(({ check, atMs }) => [check, atMs]);
  expect(shown).toEqual([...[0, 1, 2, 3, 4, 5, 6, 7, 8].map((atMs) => ['crossed', atMs]), ['amnesia', 99]]);
  expect(kept.all().at(-1)).toEqual({
    check: 'amnesia',
    session: 3,
    turn: 2,
    detail: 'it was wrong',
    atMs: 99,
    turnsBetween: 2,
    retriesBetween: 1,
    idleMs: null,
  });
});

test('fresh violations are the ones kept since the last call', () => {
  const kept = new Violations();
  kept.offer(record('stale'), 5);
  expect(kept.takeFresh().map(({ atMs }) => atMs)).toEqual([5]);
  kept.offer(record('turns'), 7);
  expect(kept.takeFresh().map(({ atMs }) => atMs)).toEqual([7]);
  expect(kept.takeFresh()).toEqual([]);
});

test('merging in parts and in any order keeps the same', () => {
  fc.assert(
    fc.property(fc.array(violation, { maxLength: 60 }), fc.nat(60), (all, at) => {
      const whole = mergeViolations(all);
      const parts = [mergeViolations(all.slice(at)), mergeViolations(all.slice(0, at))];
      expect(mergeViolations(parts.flat())).toEqual(whole);
      expect(whole).toHaveLength(Math.min(maxViolations, all.length));
    }),
  );
});
