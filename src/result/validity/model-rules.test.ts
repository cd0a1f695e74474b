import { describe, expect, test } from 'vitest';
import { modelCounters, withModel } from '../../../test/support/model-run.ts';
import { finishedRun, resultOf, runFacts } from '../../../test/support/synthetic-result.ts';
import { exitCodeOf } from '../exit-code.ts';
import type { Result } from '../result.ts';
import { publishStop } from '../sections/run-facts.ts';
import { ms } from '../../base/time.ts';

const run = finishedRun();
const reasonOf = ({ validity }: Result, wanted: string) => validity.reasons.find(({ code }) => code === wanted);
const attributed = (traced: number) => {
  const { calls, matched, created } = modelCounters.modelCalls;
  const unattributed = calls - traced - matched - created;
  return resultOf(withModel(run, { counters: { modelCalls: { ...modelCounters.modelCalls, traced, unattributed } } }));
};

describe('model calls without an attempt', () => {
  test('leave the run valid up to 5 %', () => {
    expect(reasonOf(attributed(138), 'model_unattributed')).toBeUndefined();
  });

  test('degrade it above that, with the ways to forward the trace', () => {
    const reason = reasonOf(attributed(137), 'model_unattributed');
    expect(reason).toMatchObject({ severity: 'degraded', blame: 'generator' });
    expect(reason?.message).toContain('8 of 150 model calls (5.33 %)');
    for (const way of ['traceparent', 'model.header', 'model.match']) expect(reason?.remedy).toContain(way);
  });
});

describe('a late model service', () => {
  const late = (...values: readonly (readonly [number, number])[]) =>
    reasonOf(resultOf(withModel(run, { values: { 'model.lateness': values } })), 'model_late');

  test('degrades the run by its median, and by its p99', () => {
    expect(late([140, 4.9])).toBeUndefined();
    expect(late([140, 5.2])).toMatchObject({ severity: 'degraded', blame: 'generator' });
    expect(late([137, 1], [3, 49])).toBeUndefined();
    expect(late([137, 1], [3, 52])?.message).toContain('p50 1.00 ms, p99 52.0 ms');
  });
});

describe('a model service that used up a core', () => {
  const saturated = (saturatedSeconds: number) =>
    reasonOf(
      resultOf(withModel(run, { counters: { modelCalls: { ...modelCounters.modelCalls, saturatedSeconds } } })),
      'model_late',
    );

  test('degrades the run, also if no write was late', () => {
    expect(saturated(0)).toBeUndefined();
    expect(saturated(3)).toMatchObject({ severity: 'degraded', blame: 'generator' });
    expect(saturated(3)?.message).toContain('90 % or more of it for two seconds, at the end of 3 seconds');
  });
});

describe('the loss of the model service', () => {
  const stop = publishStop({ kind: 'model_lost', why: 'the model process ended with SIGKILL', atMs: ms(500) });
  const lost = (of: typeof run) => resultOf(of, { run: { ...runFacts, status: 'stopped', stop } });

  test('makes the run invalid, with exit code 4', () => {
    const result = lost(withModel(run));
    expect(reasonOf(result, 'model_lost')).toMatchObject({ severity: 'invalid', blame: 'generator' });
    expect(exitCodeOf(result)).toBe(4);
  });

  test('is never the fault of the target, even if turns had no answer', () => {
    expect(resultOf(withModel(run)).validity.reasons.map(({ blame }) => blame)).toContain('service');
    expect(lost(withModel(run)).validity.reasons.map(({ blame }) => blame)).not.toContain('service');
  });
});
