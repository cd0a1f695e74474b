import { expect, test } from 'vitest';
import { affects } from './generator-limit.ts';

test.each([
  ['turns_late', true],
  ['event_loop_late', true],
  ['event_loop_busy', true],
  ['figures_doubtful', false],
  ['clock_jumped', false],
])('a step with %s is not evidence: %s', (code, expected) => {
  expect(affects({ code })).toBe(expected);
});
