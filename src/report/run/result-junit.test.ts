import { renderResultMarkdown, written } from '../../../test/support/render-outline.ts';
import { describe, expect, test } from 'vitest';
import { finishedRun, resultOf } from '../../../test/support/synthetic-result.ts';
import type { Result } from '../../result/result.ts';
import { stopSchema, type Stop } from '../../result/sections/run-facts.ts';
import type { Ending } from '../outline/report.ts';
import { resultReport } from './result-outline.ts';
import { verdictLine } from './verdict-line.ts';

const result = resultOf(finishedRun());

function stoppedBy(kind: Stop['kind'], reason: string): Result {
  const stop = { kind, reason, remedy: null, atMs: 0 };
  const status = kind === 'signal' ? 'interrupted' : 'stopped';
  return { ...result, run: { ...result.run, status, stop } };
}

/** The case of the run as a whole. */
const caseOf = (result: Result, ending: Ending = {}): string =>
  /<testcase [^>]*name="run">.*?<\/testcase>/s.exec(
    written(resultReport, result, { ...ending, format: 'junit' }),
  )?.[0] ?? '';
const headOf = (result: Result, ending: Ending = {}): string =>
  renderResultMarkdown(result, ending).split('\n')[0] ?? '';

describe('for CI and in Markdown, a run', () => {
  test.each(stopSchema.shape.kind.options)('that was stopped explains why, by the stop alone: %s', (kind) => {
    const stopped = stoppedBy(kind, 'of its own reason');
    expect(caseOf(stopped)).toContain('of its own reason');
    expect(renderResultMarkdown(stopped)).toContain('of its own reason');
    for (const text of [caseOf(stopped), headOf(stopped)]) expect(text).not.toContain('a signal');
  });

  test('that a signal stopped names it', () => {
    const stopped = stoppedBy('signal', 'stopped by SIGTERM');
    expect(caseOf(stopped)).toContain(
      '<failure message="FAILED: stopped by SIGTERM">FAILED: stopped by SIGTERM; turn p50 ',
    );
    expect(headOf(stopped)).toBe('### FAILED: stopped by SIGTERM');
  });

  test('that ended at a limit of its scenario passes by its verdicts', () => {
    const stopped = stoppedBy('cap', 'maxTurns (60) was reached');
    const integrity = { ...stopped.integrity, verdict: 'pass' } as const;
    const passed: Result = { ...stopped, integrity, validity: { verdict: 'valid', reasons: [] } };
    expect(caseOf(passed)).toContain(
      `<system-out>${verdictLine(passed)}; stopped: maxTurns (60) was reached; turn p50 `,
    );
  });

  test('has the verdict of the command, which may know more than the result', () => {
    const verdict = 'FAILED: stopped by SIGINT';
    expect(caseOf(result, { verdict })).toContain(`<failure message="${verdict}">`);
    expect(headOf(result, { verdict })).toBe(`### ${verdict}`);
  });
});
