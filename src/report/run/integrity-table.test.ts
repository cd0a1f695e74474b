import { renderResult } from '../../../test/support/render-outline.ts';
import picocolors from 'picocolors';
import { describe, expect, test } from 'vitest';
import { finishedRun, resultOf } from '../../../test/support/synthetic-result.ts';
import type { Result } from '../../result/result.ts';
import { writeTerminal } from '../outline/write-terminal.ts';
import { integritySection, integrityVerdictSection } from './integrity-section.ts';
import { showText } from './shown-run.ts';

const style = (width: number) => ({ colors: picocolors.createColors(false), width });
const base = resultOf(finishedRun({ integrity: true }));
const clean: Result['integrity'] = {
  ...base.integrity,
  verdict: 'pass',
  failed: 0,
  replies: 2226,
  examples: [],
  checks: base.integrity.checks.map((check) => ({ ...check, checked: 2226, failed: 0 })),
  turns: { lost: 0, duplicated: 0, reordered: 0, repeated: 0 },
  afterAmbiguousRetry: { checked: 0, failed: 0 },
};
const violation: Result['integrity']['examples'][number] = {
  check: 'crossed',
  session: 12,
  turn: 3,
  detail: 'it holds the tag of session 44, turn 1',
  atMs: 10,
  turnsBetween: null,
  retriesBetween: null,
  idleMs: null,
};

const resultWith = (integrity: Partial<Result['integrity']>): Result => ({
  ...base,
  integrity: { ...clean, ...integrity },
  books: { ...base.books, integrity: { replies: 2226, failed: 4 }, warmUp: { ...base.books.warmUp } },
});
const tableOf = (integrity: Partial<Result['integrity']>, width = 120): string =>
  writeTerminal([integritySection(showText(resultWith(integrity)))], style(width));
const integrityLine = (result: Result): string => writeTerminal([integrityVerdictSection(showText(result))], style(80));
const failing = (name: string, failed: number) =>
  clean.checks.map((check) => (check.name === name ? { ...check, failed } : check));

describe('the integrity table', () => {
  test('shows every check of an active guard', () => {
    expect(tableOf({}).split('\n').slice(0, 4)).toEqual([
      'INTEGRITY    checked  failed  first violation',
      'answered       2,226       0',
      'restarted      2,226       0',
      'crossed        2,226       0',
    ]);
    expect(tableOf({}).split('\n')).toHaveLength(1 + clean.checks.length);
  });

  test('lists the checks that were never run', () => {
    const checks = clean.checks.map((check) =>
      check.name === 'variables' || check.name === 'amnesia' ? { ...check, checked: 0 } : check,
    );
    expect(tableOf({ checks })).toMatch(/\nnot run: variables, amnesia$/);
    expect(tableOf({ checks })).not.toMatch(/^amnesia/m);
  });

  test('lists broken checks first', () => {
    const table = tableOf({ verdict: 'fail', checks: failing('crossed', 4), examples: [violation] });
    expect(table).toContain(
      'crossed        2,226       4  session 12, turn 3: it holds the tag of session 44, turn 1\n',
    );
  });

  test('counts turns lost and repeated, and replies after ambiguous retries', () => {
    const table = tableOf({
      turns: { lost: 2, duplicated: 0, reordered: 0, repeated: 1 },
      afterAmbiguousRetry: { checked: 34, failed: 1 },
    });
    expect(table).toMatch(/^ {2}lost +2 turns$/m);
    expect(table).toMatch(/^ {2}repeated +1 turn, by ambiguous retries \(not a failure\)$/m);
    expect(table).toMatch(/^after ambiguous retries +34 +1$/m);
    expect(table).not.toMatch(/duplicated|reordered/);
  });

  test('is omitted if a passive guard found nothing, the guard was off, or had nothing to check', () => {
    expect(tableOf({ mode: 'passive' })).toBe('');
    expect(tableOf({ mode: 'off', verdict: 'off' })).toBe('');
    expect(tableOf({ verdict: 'no-data' })).toBe('');
    expect(tableOf({ mode: 'passive', verdict: 'fail' })).toContain('INTEGRITY');
  });
});

describe('the integrity line', () => {
  const lineOf = (integrity: Partial<Result['integrity']>): string => integrityLine(resultWith(integrity));

  test('states that replies passed, and that the checks were passive', () => {
    const text = (integrity: Partial<Result['integrity']>, check_failed = 0): string => {
      const { outcomes, ...result } = resultWith(integrity);
      const turns = { ...outcomes.turns, check_failed };
      return integrityLine({ ...result, outcomes: { ...outcomes, turns } });
    };
    expect(text({})).toBe('INTEGRITY pass: 2,226 replies');
    expect(text({ mode: 'passive' })).toBe('INTEGRITY pass: 2,226 replies, passive checks');
    expect(text({ replies: 1 })).toBe('INTEGRITY pass: 1 reply');
    expect(text({}, 25)).toBe('INTEGRITY pass: 2,226 replies; 25 turns broke a check of the scenario');
  });

  test('explains how many replies broke a check, and how many of them in the warm-up', () => {
    expect(lineOf({ verdict: 'fail' })).toMatch(/^INTEGRITY FAIL: 4 of 2,226 replies broke a check$/);
    const result = resultWith({ verdict: 'fail' });
    const warmUp = { ...result.books.warmUp, integrity: { replies: 10, failed: 3 } };
    const line = integrityLine({ ...result, books: { ...result.books, warmUp } });
    expect(line).toBe('INTEGRITY FAIL: 4 of 2,226 replies broke a check, 3 in the warm-up');
  });

  test('stays within the width', () => {
    const { outcomes, ...result } = resultWith({ mode: 'passive', replies: 1_234_567 });
    const turns = { ...outcomes.turns, check_failed: 123_456 };
    expect(integrityLine({ ...result, outcomes: { ...outcomes, turns } }).split('\n')).toEqual([
      'INTEGRITY pass: 1,234,567 replies, passive checks; 123,456 turns broke a check',
      '                of the scenario',
    ]);
  });

  test('states that the agent repeated no tag, or that replies did not before the first that did', () => {
    expect(lineOf({ verdict: 'unsupported', untagged: 2226 })).toBe(
      'INTEGRITY unsupported: the agent does not repeat tags; see the warning',
    );
    const early = resultWith({ verdict: 'fail', untagged: 5 });
    const books = { ...early.books, integrity: { replies: 2226, failed: 0 } };
    expect(integrityLine({ ...early, books })).toBe(
      'INTEGRITY FAIL: 5 replies returned no tag before the first that did',
    );
  });

  test('is empty if the guard was off, and has an explanation if there was nothing to check', () => {
    expect(lineOf({ verdict: 'off', mode: 'off' })).toBe('');
    expect(lineOf({ verdict: 'no-data', replies: 0 })).toBe('INTEGRITY no data: there was no reply to check');
  });

  test('is next to the other verdicts in the report', () => {
    const report = renderResult(base, style(80));
    expect(report).toMatch(/\nINTEGRITY FAIL: [^\n]+\n\nVALIDITY /);
    expect(report).toMatch(/^INTEGRITY +checked {2}failed {2}first violation$/m);
  });
});
