import { listFirst } from '../../base/list-first.ts';
import { nameOf, sideNames, type RunOfSide, type Sides } from '../document/side.ts';

const mostNamed = 3;

/** How to compare without some runs: both sides have to keep the same seeds. */
export function sayWhatToLeaveOut(refused: readonly RunOfSide[], sides: Sides): string {
  const [base = [], head = []] = sideNames.map((name) => sides[name].runs.filter((run) => !refused.includes(run)));
  const [ofBase, ofHead] = [seedsOf(base), seedsOf(head)];
  const others = [...base.filter(isOtherThan(ofHead)), ...head.filter(isOtherThan(ofBase))];
  const isOne = refused.length === 1;
  if (others.length === base.length + head.length)
    return `Measure again: without ${isOne ? 'it' : 'them'} no seed is left on both sides.`;
  const it = `Leave ${isOne ? 'it' : 'them'} out`;
  if (others.length === 0) return `${it}.`;
  const runs = others.length === 1 ? 'the run of the same seed' : 'the runs of the same seeds';
  return `${it}, with ${runs} on the other side: ${listFirst(others.map(nameOf), mostNamed)}.`;
}

const seedsOf = (runs: readonly RunOfSide[]): Set<number> => new Set(runs.map(({ result }) => result.scenario.seed));

const isOtherThan =
  (seeds: ReadonlySet<number>) =>
  ({ result }: RunOfSide): boolean =>
    !seeds.has(result.scenario.seed);
