import { z } from 'zod';
import { flag } from '../../base/field.ts';
import { counterGroups, sumCounters } from '../../record/counters.ts';
import { seriesNames } from '../../record/series.ts';
import type { Tally } from '../../record/tally.ts';

export const assertedEquationSchema = z.object({
  scope: z
    .enum(['whole', 'warm-up', 'sums', 'published'])
    .describe("Subject: the whole run, its warm-up, sums over the run's parts, or the published figures"),
  name: z.string().describe('Consistency check, an equation as text'),
  left: z.number().describe('Left side'),
  right: z.number().describe('Right side'),
  holds: flag('True if the equation holds'),
});

export type Equation = z.infer<typeof assertedEquationSchema>;

export type EquationSides = Record<string, readonly [left: number, right: number]>;

/** Checks that two sides are equal or, if the name contains `≤`, that the left one is not greater. */
export function checkEquation(
  scope: Equation['scope'],
  name: string,
  [left, right]: readonly [number, number],
): Equation {
  return { scope, name, left, right, holds: name.includes('≤') ? left <= right : left === right };
}

/** Checks that totals are the sum of their parts, by counter group and series, with the first sides that differ. */
export function assertSums(of: 'intervals' | 'workers', totals: readonly Tally[], parts: readonly Tally[]): Equation[] {
  const [left, right] = [totals, parts].map((tallies) => sumCounters(tallies.map((tally) => tally.counters)));
  const counters = counterGroups.map((name) => ({ name, sides: pairUp(left?.[name] ?? {}, right?.[name] ?? {}) }));
  const series = seriesNames.map((name) => ({
    name: `${name} histogram`,
    sides: (['count', 'sumUs'] as const).map((field) => {
      const sumOf = (tallies: readonly Tally[]) =>
        tallies.reduce((sum, tally) => sum + (tally.series[name]?.[field] ?? 0), 0);
      return [sumOf(totals), sumOf(parts)] as const;
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
