import picocolors from 'picocolors';
import { describe, expect, test } from 'vitest';
import { calibrationDocument } from '../../test/support/measured-documents.ts';
import { featureSamples } from '../../test/support/feature-samples.ts';
import { written } from '../../test/support/render-outline.ts';
import { sampleDataset } from '../../test/support/sample-dataset.ts';
import { sampleFit } from '../../test/support/sample-fit.ts';
import { steppedTrend } from '../../test/support/stepped-trend.ts';
import { comparisons, regressed } from '../../test/support/synthetic-comparison.ts';
import { finishedRun, resultOf } from '../../test/support/synthetic-result.ts';
import type { Result } from '../result/result.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { calibrationReport } from './calibration-outline.ts';
import { comparisonReport } from './comparison/comparison-outline.ts';
import { datasetReport } from './dataset/dataset-outline.ts';
import { fitReport } from './fit/fit-outline.ts';
import type { Report } from './outline/report.ts';
import { resultReport } from './run/result-outline.ts';
import { trendReport } from './trend/trend-outline.ts';
import { plain } from './words/table.ts';

const within = {
  attempt: { p50Ms: 0.2, p90Ms: 0.4, p95Ms: 0.6, p99Ms: 1.1 },
  effective: { p50Ms: 0.3, p90Ms: 0.4, p95Ms: 0.7, p99Ms: 12.1 },
};
const load = { attemptsPerSecond: 80, turnsInFlight: 16 };
const calibratedTo = [load, { attemptsPerSecond: 4000, turnsInFlight: 2000 }];
const retry = { none: 'none', immediate: { base: 0 }, fullJitter: {} } as const;
const long = 'FORGED words '.repeat(20);

/** Writes a document in a width, with colours or without. */
type Write = (width: number, isColored: boolean) => string;

const of =
  <Document>(report: Report<Document>, document: Document, verdict?: string): Write =>
  (width, isColored) =>
    written(report, document, { width, colors: picocolors.createColors(isColored), path: 'results/a.json', verdict });

function ofRun(run: Partial<Scenario>, largestErrors: typeof within | null = within, name?: string): Write {
  const calibrated = { calibratedAt: '2026-01-31T14:25:30.000Z', load, largestErrors, calibratedTo };
  const { scenario, ...rest } = resultOf(finishedRun(run));
  const named = { ...scenario, name: name ?? scenario.name };
  const result: Result = { ...rest, scenario: named, calibration: calibrated };
  return of(resultReport, result, `FAILED: ${'turn.p50 < 1ms was 113 ms; '.repeat(5).trim()}`);
}

/** Returns a document whose scenario has a long name. */
const withLongName = (document: object): object => ({
  ...document,
  ...('scenario' in document && { scenario: { ...(document.scenario as object), name: long } }),
});

const hostile: Readonly<Record<string, Write>> = {
  'a run with a long name': ofRun({}, null, long),
  ...Object.fromEntries(
    featureSamples.map(({ name, report, document }) => [
      `${name} with a long name`,
      of(report, withLongName(document) as never),
    ]),
  ),
  'a comparison with a long name': of(comparisonReport, {
    ...regressed,
    scenario: { ...regressed.scenario, name: long },
  }),
};
const documents: Readonly<Record<string, Write>> = {
  ...hostile,
  'a run with a warm-up': ofRun({ warmUp: '1s', gates: { 'turn.p99.99': '< 1h', 'turn.p50': '< 1ms' } }),
  'a run of several policies': ofRun({ retry }, null),
  'a run of open load': ofRun({ objective: '1s', load: { sessionsPerSecond: 20 } }),
  ...Object.fromEntries(
    Object.entries(comparisons).map(([name, comparison]) => [
      `a comparison: ${name}`,
      of(comparisonReport, comparison),
    ]),
  ),
  ...Object.fromEntries(featureSamples.map(({ name, report, document }) => [name, of(report, document as never)])),
  'a trend': of(trendReport, steppedTrend()),
  'a calibration': of(calibrationReport, calibrationDocument),
  'a dataset': of(datasetReport, sampleDataset()),
  'a fit': of(fitReport, sampleFit()),
};

/** Except for the last line (the verdict), and for paths and addresses, which are not wrapped. */
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .slice(0, -1)
    .filter((line) => !/^(?:result|target) /.test(line));

describe.each(Object.entries(documents))('%s', (_, write) => {
  test.each([60, 80, 120])('is not wider than %d columns', (width) => {
    expect(linesOf(plain(write(width, true))).filter((line) => line.length > width)).toEqual([]);
  });

  test('states the same with colours as without', () => {
    expect(plain(write(80, true)).replace(/ +$/gm, '')).toBe(write(80, false));
    expect(write(80, true)).not.toBe(write(80, false));
  });
});

test.each(Object.entries(hostile))('%s has no second line that begins with its text', (_, write) => {
  const lines = linesOf(write(80, false));
  expect(lines.filter((line) => /^(?:FORGED|words)/.test(line)).length).toBeLessThanOrEqual(1);
});
