import { renderResult, written } from '../../test/support/render-outline.ts';
import picocolors from 'picocolors';
import { describe, expect, test } from 'vitest';
import { sampleDataset } from '../../test/support/sample-dataset.ts';
import { sampleFit } from '../../test/support/sample-fit.ts';
import { finishedRun, resultOf } from '../../test/support/synthetic-result.ts';
import type { Result } from '../result/result.ts';
import type { Calibration } from '../result/sections/calibration.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { calibrationReport } from './calibration-outline.ts';
import { datasetReport } from './dataset/dataset-outline.ts';
import { fitReport } from './fit/fit-outline.ts';
import { plain } from './words/table.ts';

const styleOf = (width: number) => ({ colors: picocolors.createColors(true), width });
const tooLong = (text: string, width: number): string[] =>
  plain(text)
    .split('\n')
    .filter((line) => line.length > width && !line.startsWith('result'));

const within = {
  attempt: { p50Ms: 0.2, p90Ms: 0.4, p95Ms: 0.6, p99Ms: 1.1 },
  effective: { p50Ms: 0.3, p90Ms: 0.4, p95Ms: 0.7, p99Ms: 12.1 },
};
const calibratedTo = [
  { attemptsPerSecond: 1000, turnsInFlight: 500 },
  { attemptsPerSecond: 4000, turnsInFlight: 2000 },
];
const reported = (scenario: Partial<Scenario>): Result => resultOf(finishedRun(scenario));
const retry = { none: 'none', immediate: { base: 0 }, fullJitter: {} } as const;

const cases: readonly (readonly [string, Result])[] = [
  [
    'a warm-up, and failures of many kinds',
    reported({ warmUp: '1s', gates: { 'turn.p99.99': '< 1h', 'turn.p50': '< 1ms' } }),
  ],
  ['several policies', reported({ retry })],
  ['an objective, and open load', reported({ objective: '1s', load: { sessionsPerSecond: 20 } })],
];

describe.each([60, 80, 120])('at %d columns', (width) => {
  test.each(cases)('no line of a report is wider: %s', (_, reported) => {
    for (const known of [within, null]) {
      const load = { attemptsPerSecond: 80, turnsInFlight: 16 };
      const calibration = { calibratedAt: '2026-01-31T14:25:30.000Z', load, largestErrors: known, calibratedTo };
      const result = { ...reported, calibration };
      const verdict = `FAILED: ${'turn.p50 < 1ms was 113 ms; '.repeat(5)}`;
      expect(tooLong(renderResult(result, styleOf(width), { path: 'results/a.json', verdict }), width)).toEqual([]);
    }
  });

  test('nor of a dataset or a fit', () => {
    expect(tooLong(written(datasetReport, sampleDataset(), styleOf(width)), width)).toEqual([]);
    expect(tooLong(written(fitReport, sampleFit(), styleOf(width)), width)).toEqual([]);
  });

  test('nor of a calibration', () => {
    const calibration: Calibration = {
      kind: 'chat-load/calibration',
      schemaVersion: 1,
      calibratedAt: '2026-01-31T14:25:30.000Z',
      toolVersion: '0.1.0',
      host: 'lab',
      machine: 'a processor of some make with a long name, 2 cores',
      loads: calibratedTo.map((load) => ({ ...load, ...within, turns: 10_000 })),
      notCarried: null,
    };
    expect(tooLong(written(calibrationReport, calibration, styleOf(width)), width)).toEqual([]);
  });
});
