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

describe('on GitHub, a run', () => {
  const gate = (metric: string): Result['gates'][number] => ({
    metric,
    condition: '< 1',
    unit: 'ms',
    limit: 1,
    actual: 2,
    errorMs: null,
    infinite: false,
    confident: false,
    interval: null,
    verdict: 'fail',
    reason: null,
  });
  const reason = { severity: 'invalid', message: 'no turn finished', remedy: '', blame: 'service' } as const;
  const passing = { ...result.integrity, verdict: 'pass' } as const;
  const valid: Result = { ...result, integrity: passing, gates: [], validity: { verdict: 'valid', reasons: [] } };
  const invalid = (code: string): Result['validity'] => ({ verdict: 'invalid', reasons: [{ ...reason, code }] });
  /** Titles of the annotations, without the name of the run. */
  const annotated = (of: Result, ending: Ending = {}): string[] =>
    [...written(resultReport, of, { ...ending, format: 'annotations' }).matchAll(/ title=.*?%3A (.*?)::/g)].map(
      ([, title = '']) => title,
    );

  test.each<[string, Partial<Result>, string[]]>([
    ['that passed', {}, []],
    ['with two failed gates', { gates: [gate('turn.p95'), gate('turn.p50')] }, ['turn.p95 < 1', 'turn.p50 < 1']],
    ['that is invalid', { validity: invalid('turns_late') }, ['validity']],
    ['whose gate requires validity', { validity: invalid('turns_late'), gates: [gate('validity')] }, ['validity']],
    ['without a finished turn', { validity: invalid('no_turn_finished'), gates: [gate('turns.ok')] }, ['validity']],
    [
      'that broke integrity, which a gate limits',
      { integrity: { ...passing, verdict: 'fail', failed: 2 }, gates: [gate('integrity.failed')] },
      ['integrity'],
    ],
    ['with unsupported integrity', { integrity: { ...passing, verdict: 'unsupported' } }, ['integrity']],
  ])('%s has one annotation per cause', (_, change, titles) => {
    expect(annotated({ ...valid, ...change })).toEqual(titles);
  });

  test.each<[Stop['kind'], Partial<Result>, string[]]>([
    ['gate', { gates: [gate('turn.p95')] }, ['turn.p95 < 1']],
    ['target_gone', { gates: [gate('turns.ok')] }, ['run']],
    ['target_gone', { gates: [gate('turn.p95')] }, ['run', 'turn.p95 < 1']],
    ['signal', {}, ['run']],
  ])('that was stopped (%s) has one annotation per cause', (kind, change, titles) => {
    const { run } = stoppedBy(kind, 'of its own reason');
    expect(annotated({ ...valid, run, ...change })).toEqual(titles);
  });

  test('whose report cannot be written has that annotation too', () => {
    const failed = { ...valid, gates: [gate('turn.p95')] };
    expect(annotated(failed, { verdict: 'FAILED: Cannot write' })).toEqual(['run', 'turn.p95 < 1']);
  });
});

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
