import { describe, expect, test } from 'vitest';
import { runVirtually } from '../../../test/support/virtual-run.ts';
import type { Result } from '../../result/result.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { compareResults } from '../compare-results.ts';
import { measuredWindow } from './open-run.ts';
import { sumOf } from '../../statistics/averages.ts';

const load = { sessionsPerSecond: 100 };

/** A run whose last turn ends this long after its duration, or a little before. */
async function runWith(scenario: Partial<Scenario>, drainMs: number): Promise<Result> {
  let last = 0;
  const { result } = await runVirtually({ load, ...scenario }, (_, at) => {
    last = Math.max(last, at);
    return { afterMs: 2 + drainMs * Number(at >= 1400) };
  });
  return { ...result, run: { ...result.run, id: `a run of ${String(drainMs)} ms` } };
}

const spanOf = (result: Result) => {
  const window = measuredWindow(result);
  return {
    from: window[0]?.startMs,
    intervals: window.length,
    lengthMs: sumOf(window.map(({ lengthMs }) => lengthMs)),
  };
};

describe('the measured window of one plan', () => {
  test.each<[string, Partial<Scenario>, { from: number; intervals: number; lengthMs: number }]>([
    ['of 1.5 s is its first second', { duration: '1500ms' }, { from: 0, intervals: 1, lengthMs: 1000 }],
    ['of 2 s is the whole run', { duration: '2s' }, { from: 0, intervals: 2, lengthMs: 2000 }],
    [
      'of 3.5 s with a warm-up of 1.5 s ends with the third second',
      { duration: '3500ms', warmUp: '1500ms' },
      { from: 1500, intervals: 2, lengthMs: 1500 },
    ],
  ])('%s, however long it drains', async (_, scenario, span) => {
    for (const drainMs of [0, 130, 700, 1900]) expect(spanOf(await runWith(scenario, drainMs))).toEqual(span);
  });

  test('is the same if a longer drain made the intervals wider', () => {
    const plan = { durationMs: 599_000, gracePeriodMs: 30_000 };
    const ends = [1000, 2000].map((width) => {
      const count = Math.ceil(601_000 / width);
      const intervals = Array.from({ length: count }, (_, at) => ({
        startMs: at * width,
        lengthMs: width,
        warmUp: false,
      }));
      const result = { intervals, scenario: { plan } } as unknown as Result;
      return measuredWindow(result).reduce((end, { startMs, lengthMs }) => Math.max(end, startMs + lengthMs), 0);
    });
    expect(ends).toEqual([598_000, 598_000]);
  });
});

test('a release can be compared with itself, even if the drains of its runs differ', async () => {
  const runs = [
    [await runWith({ duration: '1500ms', seed: 1 }, 120), await runWith({ duration: '1500ms', seed: 1 }, 130)],
    [await runWith({ duration: '1500ms', seed: 1 }, 480), await runWith({ duration: '1500ms', seed: 1 }, 500)],
  ];
  const [base = [], head = []] = runs.map((side) => side.map((result) => ({ file: null, result })));
  const { comparability } = compareResults({
    toolVersion: '1',
    base: { label: 'v1', runs: base },
    head: { label: 'v1 again', runs: head },
  });
  expect(comparability.refusals.filter(({ key }) => key === 'rates.measuredMs')).toEqual([]);
});
