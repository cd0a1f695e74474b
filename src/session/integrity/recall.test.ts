import { expect, test } from 'vitest';
import { ms } from '../../base/time.ts';
import { newRecall, wordRecall } from './recall.ts';

test('a code that is missing is reported with what lay in between, from a tenth of a second of idle time on', () => {
  const said = (idleMs: number): string => wordRecall({ ...newRecall(), retries: 2, idleMs: ms(idleMs) }, 3);
  expect(said(99)).toBe('the code given in turn 1 is missing (2 turns later, 2 retries in between)');
  expect(said(100)).toBe('the code given in turn 1 is missing (2 turns later, 2 retries in between, idle 0.1 s)');
});
