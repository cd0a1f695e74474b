import { describe, expect, test } from 'vitest';
import { matchRuns, observationsOf } from './sample.ts';

const run = (sitting: string | null, pair: string | null = null) => ({ sitting, pair });
const pairs = (sitting: string, numbers: readonly number[]) => numbers.map((number) => run(sitting, String(number)));

describe('runs of two sides', () => {
  test('are matched by batch and pair, in any order', () => {
    const base = [...pairs('monday', [1, 2]), ...pairs('tuesday', [1])];
    const head = [...pairs('tuesday', [1]), ...pairs('monday', [2, 1])];
    const design = matchRuns(base, head);
    expect(design).toMatchObject({ unit: 'pair', omitted: 0 });
    expect(observationsOf(design)).toEqual({ base: 3, head: 3 });
    if (design.unit === 'pair') for (const each of design.pairs) expect(each.base).toEqual(each.head);
  });

  test('are not matched with pairs of other batches', () => {
    expect(matchRuns(pairs('monday', [1, 2]), pairs('tuesday', [1, 2])).unit).toBe('sitting');
  });

  test('remain pairs when one has no partner, but not when most have none', () => {
    expect(matchRuns(pairs('monday', [1, 2, 3]), pairs('monday', [1, 3]))).toMatchObject({ unit: 'pair', omitted: 1 });
    expect(matchRuns(pairs('monday', [1, 2, 3]), pairs('monday', [3, 4, 5])).unit).toBe('run');
  });

  test('are not pairs if a pair is twice on a side, or a run has none', () => {
    expect(matchRuns(pairs('monday', [1, 1]), pairs('monday', [1, 2])).unit).toBe('run');
    expect(matchRuns([run('monday')], pairs('monday', [1])).unit).toBe('run');
  });

  test('are runs in common batches', () => {
    const both = [run('monday'), run('tuesday')];
    expect(matchRuns(both, both)).toMatchObject({ unit: 'run', sharesAll: true });
    expect(matchRuns(both, [run('tuesday')])).toMatchObject({ unit: 'run', sharesAll: false });
  });

  test('without a common batch are batches, and a run without one is a batch', () => {
    const design = matchRuns([run('monday'), run('monday'), run(null), run(null)], [run('tuesday'), run(null)]);
    expect(design.unit).toBe('sitting');
    expect(observationsOf(design)).toEqual({ base: 3, head: 2 });
  });
});
