import picocolors from 'picocolors';
import { expect, test } from 'vitest';
import { finishedRun, resultOf } from '../../../test/support/synthetic-result.ts';
import type { Result } from '../../result/result.ts';
import { stopSchema, type Stop } from '../../result/sections/run-facts.ts';
import { runLine } from './verdict-line.ts';

const style = { colors: picocolors.createColors(false), width: 80 };

const finished = resultOf(finishedRun());

const lineOf = (kind: Stop['kind']): string => {
  const stop = { kind, reason: 'stopped by SIGTERM', remedy: null, atMs: 0 };
  const result: Result = { ...finished, run: { ...finished.run, status: 'stopped', stop } };
  return runLine('run 1', { result, path: 'results/a.json' }, style);
};

test.each(stopSchema.shape.kind.options)('a stopped run names its reason in words, without its code: %s', (kind) => {
  const [, end = ''] = /; (stopped[^;\n]*)/.exec(lineOf(kind)) ?? [];
  expect(end).toMatch(/^stopped(: | by )\S+/);
  if (kind.includes('_')) expect(end).not.toContain(kind.replaceAll('_', ' '));
});

test('gates that failed are named', () => {
  const line = (...metrics: string[]): string => {
    const [gate] = finished.gates;
    if (gate === undefined) throw new Error('every result has a gate');
    const gates = metrics.map((metric) => ({ ...gate, metric, verdict: 'fail' as const }));
    return runLine('run 1', { result: { ...finished, gates }, path: 'a.json' }, style);
  };
  expect(line('turn.p95')).toContain('; 1 gate failed: turn.p95;');
  expect(line('turn.p95', 'turn.max')).toContain('; 2 gates failed: turn.p95, turn.max;');
  expect(line()).not.toContain('gate');
});

test('the target that never answered with ok and the signal are named', () => {
  expect(lineOf('target_unfit')).toContain('; stopped: the target never answered with ok');
  expect(lineOf('signal')).toContain('; stopped by SIGTERM');
});
