import { expect, test } from 'vitest';
import { runOf } from '../../../test/support/sample-nights.ts';
import { selectRuns } from './trend-run.ts';

test('runs that cannot be trusted represent no night, and are named', () => {
  const runs = [
    runOf({}, { file: 'a.json', unfit: 'the run is invalid' }),
    runOf({}, { file: 'b.json', unfit: 'the run was interrupted' }),
    runOf({}, { file: 'c.json' }),
  ];
  const { runs: fit, warnings } = selectRuns(runs, undefined);
  expect(fit.map(({ file }) => file)).toEqual(['c.json']);
  expect(warnings).toEqual(['Left out: a.json (the run is invalid) and 1 more.']);
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
