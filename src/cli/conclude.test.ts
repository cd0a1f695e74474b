import { expect, test } from 'vitest';
import { worstConclusion } from './conclude.ts';

test('of several runs the first of the worst decides, and of those that passed the first with something to say', () => {
  const passed = { code: 0, line: 'PASSED' };
  const though = {
    code: 0,
    line: 'PASSED, though no gate looks at failures: run 2 of 3: 1 of 9 turns failed (timed_out)',
  };
  const failed = { code: 1, line: 'FAILED: run 3 of 3: turns.ok >= 1 was 0' };
  expect(worstConclusion([passed, passed])).toBe(passed);
  expect(worstConclusion([passed, though, passed])).toBe(though);
  expect(worstConclusion([passed, though, failed])).toBe(failed);
  expect(worstConclusion([])).toBeUndefined();
});
