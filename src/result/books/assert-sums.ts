import { counterGroups, sumCounters } from '../../record/counters.ts';
import { seriesNames } from '../../record/series.ts';
import type { Tally } from '../../record/tally.ts';
import { checkEquation, type Equation } from './equation.ts';

/**
 * Checks that totals are the sum of their parts, counter by counter and series by series (values and exact sums): one
 * equation a counter group and series, with the first sides that differ.
 */
export function assertSums(of: 'intervals' | 'workers', totals: readonly Tally[], parts: readonly Tally[]): Equation[] {
  const [left, right] = [totals, parts].map((tallies) => sumCounters(tallies.map((tally) => tally.counters)));
  const counters = counterGroups.map((group) => ({
    name: group,
    sides: pairUp(left?.[group] ?? {}, right?.[group] ?? {}),
  }));
  const series = seriesNames.map((name) => ({
    name: `${name} histogram`,
    sides: (['count', 'sumUs'] as const).map((field) => {
      const sum = (tallies: readonly Tally[]) =>
        tallies.reduce((so, tally) => so + (tally.series[name]?.[field] ?? 0), 0);
      return [sum(totals), sum(parts)] as const;
    }),
  }));
  return [...counters, ...series].map(({ name, sides }) =>
    checkEquation('sums', `totals = sum over ${of}: ${name}`, sides.find(([a, b]) => a !== b) ?? sides[0] ?? [0, 0]),
  );
}

function pairUp(left: Readonly<Record<string, number>>, right: Readonly<Record<string, number>>) {
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  return names.map((name) => [left[name] ?? 0, right[name] ?? 0] as const);
}
