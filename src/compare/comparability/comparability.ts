import type { Comparability } from '../document/comparison.ts';
import { caveatsOf } from './caveats.ts';
import { refusalsOf } from './refusals.ts';
import type { Sides } from '../document/side.ts';

/** Whether two sides can be compared, and the caveats. Each side holds at least one run. */
export function judgeComparability(sides: Sides, { force }: { force: boolean }): Comparability {
  const refusals = refusalsOf(sides);
  const isComparable = refusals.length === 0;
  return { isComparable, forced: force && !isComparable, refusals, warnings: caveatsOf(sides) };
}
