import type { Result } from '../../result/result.ts';
import type { Difference } from '../document/comparison.ts';
import { sideNames, type Side, type Sides } from '../document/side.ts';

/** A property that all runs of a comparison should share. */
export interface Trait {
  key: string;
  /** What it means when they do not. */
  message: string;
  /** In words; `null` where it is not known, or does not apply: then it never differs. */
  of: (result: Result) => string | null;
}

/** The properties that differ over the runs of both sides. */
export function differencesIn(traits: readonly Trait[], sides: Sides): Difference[] {
  return traits.flatMap(({ key, message, of }) => {
    const [base, head] = sideNames.map((name) => distinct(sides[name], of));
    if (base === undefined || head === undefined || new Set([...base, ...head]).size < 2) return [];
    return [{ key, base: listed(base), head: listed(head), message: `${message}${mixed(base, head)}` }];
  });
}

/** The values of a side, each once, in the order of its runs. */
const distinct = ({ runs }: Side, of: Trait['of']): string[] => [
  ...new Set(runs.flatMap(({ result }) => of(result) ?? [])),
];

/** Values as a reader sees them. */
export function listed(values: readonly string[]): string {
  return values.length === 0 ? 'not known' : values.join(' / ');
}

function mixed(base: readonly string[], head: readonly string[]): string {
  const sides = [...(base.length > 1 ? ['base'] : []), ...(head.length > 1 ? ['head'] : [])];
  return sides.length === 0 ? '' : `, already within ${sides.join(' and ')}`;
}
