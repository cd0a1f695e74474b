import { describe, expect, test } from 'vitest';
import { runOf, startOf } from '../../../test/support/sample-nights.ts';
import { matchRuns, observationsOf } from '../statistics/sample.ts';
import { gatherNights, runsOfLastNights, selectRuns } from './trend-run.ts';

const at = (startedAt: string, sitting: string | null = null) => runOf({}, { startedAt, sitting, file: startedAt });
const shapeOf = (runs: ReturnType<typeof at>[]) =>
  gatherNights(runs).map(({ nights }) => nights.map(({ date, runs: some }) => [date, some.length]));

describe('nights', () => {
  test('are single runs, in order, if the runs belong to no batch, as in a comparison', () => {
    const runs = [at('2026-11-04T01:00:00.000Z'), at('2026-11-03T23:59:59.000Z'), at('2026-11-04T23:00:00.000Z')];
    expect(shapeOf(runs)).toEqual([
      [
        ['2026-11-03', 1],
        ['2026-11-04', 1],
        ['2026-11-04', 1],
      ],
    ]);
    const sides = runs.map(({ sitting, pair }) => ({ sitting, pair }));
    expect(observationsOf(matchRuns(sides.slice(0, 1), sides.slice(1)))).toEqual({ base: 1, head: 2 });
  });

  test('are batches if runs belong to one, even across midnight', () => {
    const runs = [
      at('2026-11-03T23:50:00.000Z', 'a'),
      at('2026-11-04T00:10:00.000Z', 'a'),
      at('2026-11-04T00:20:00.000Z', 'b'),
    ];
    expect(shapeOf(runs)).toEqual([
      [
        ['2026-11-03', 2],
        ['2026-11-04', 1],
      ],
    ]);
  });

  test('start a new series with another scenario, machine class or load, the latest first', () => {
    const { group } = runOf({});
    const groups = [
      { ...group, scenario: { name: 'smoke', hash: 'another' } },
      { ...group, machineClass: 'another' },
      { ...group, loadHash: 'another' },
      group,
    ];
    const runs = groups.map((each, night) => runOf({}, { group: each, startedAt: startOf(night) }));
    expect(gatherNights(runs).map((series) => series.group)).toEqual(groups.toReversed());
  });

  test('return the runs of the last nights of every series', () => {
    const { group } = runOf({});
    const other = { ...group, loadHash: 'another' };
    const runs = [0, 1, 2, 3].flatMap((night) => [
      runOf({}, { startedAt: startOf(night, 1), sitting: String(night), file: `a${String(night)}` }),
      runOf({}, { startedAt: startOf(night, 2), sitting: String(night), file: `b${String(night)}` }),
      runOf({}, { startedAt: startOf(night - 9), file: `c${String(night)}`, group: other }),
    ]);
    const files = runsOfLastNights(runs, 2).map(({ file }) => file);
    expect(files.toSorted()).toEqual(['a2', 'a3', 'b2', 'b3', 'c2', 'c3']);
  });
});

test('runs that cannot be trusted represent no night, and are named', () => {
  const runs = [
    runOf({}, { file: 'a.json', unfit: 'the run is invalid' }),
    runOf({}, { file: 'b.json', unfit: 'the run was interrupted' }),
    runOf({}, { file: 'c.json' }),
  ];
  const { runs: fit, warnings } = selectRuns(runs, undefined);
  expect(fit.map(({ file }) => file)).toEqual(['c.json']);
  expect(warnings).toEqual(['Omitted: a.json (the run is invalid) and 1 more.']);
});

test('both releases of interleaved pairs are reported, until a label keeps one', () => {
  const pairOf = (pair: string) =>
    ['base', 'head'].map((label) => runOf({}, { label, sitting: 's', pair, file: `${label}-${pair}` }));
  const runs = ['1', '2'].flatMap(pairOf);
  expect(selectRuns(runs, undefined).warnings.join()).toContain('labels base and head');
  const { runs: kept, warnings } = selectRuns(runs, 'base');
  expect(kept.map(({ file }) => file)).toEqual(['base-1', 'base-2']);
  expect(warnings).toEqual([]);
});
