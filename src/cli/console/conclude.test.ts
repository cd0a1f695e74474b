import { expect, onTestFinished, test, vi } from 'vitest';
import { finishedRun, resultOf } from '../../../test/support/synthetic-result.ts';
import type { Recorded } from '../../app/run/record-run.ts';
import { ChatLoadError } from '../../base/errors.ts';
import { ms } from '../../base/time.ts';
import { concludeRun, worstConclusion } from './deliver.ts';
import { stderr } from './terminal.ts';

test('the first of the worst runs decides, or the first passed run with a message', () => {
  const passed = { code: 0, line: 'PASSED' };
  const caveat = {
    code: 0,
    line: 'PASSED, but no gate covers failures: run 2 of 3: 1 of 9 turns failed (timed_out)',
  };
  const failed = { code: 1, line: 'FAILED: run 3 of 3: turns.ok >= 1 was 0' };
  expect(worstConclusion([passed, passed])).toBe(passed);
  expect(worstConclusion([passed, caveat, passed])).toBe(caveat);
  expect(worstConclusion([passed, caveat, failed])).toBe(failed);
  expect(worstConclusion([])).toBeUndefined();
});

test('a run whose scenario fails just after its end fails in its last line as well', () => {
  const said = vi.spyOn(stderr, 'line').mockReturnValue();
  onTestFinished(() => said.mockRestore());
  const error = new ChatLoadError('usage', { message: 'The scenario late failed.', hint: 'Fix it.' });
  const recorded: Recorded = {
    result: resultOf(finishedRun()),
    stop: { kind: 'scenario_error', error, atMs: ms(10) },
    path: 'results/late.json',
    misplaced: undefined,
  };
  const never = new AbortController().signal;
  expect(concludeRun(recorded, { drain: never, cut: never, signal: () => undefined })).toEqual({
    code: 2,
    line: 'FAILED: code of the scenario failed just after the run had ended',
  });
});
