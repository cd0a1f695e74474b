import { listFirst } from '../../base/format.ts';
import { groupBy } from '../../base/group-by.ts';
import type { Result } from '../../result/result.ts';
import type { Refusal } from '../document/comparison.ts';
import { nameOf, sideNames, type SideName, type Sides, type RunOfSide } from '../document/side.ts';

/** Properties that decide whether a run may be compared; `books` only if they were read. */
type JudgedRun = Pick<Result, 'run' | 'validity'> & Partial<Pick<Result, 'books'>>;

interface Requirement {
  key: string;
  message: string;
  isMet: (run: JudgedRun, side: SideName) => boolean;
  of: (run: JudgedRun) => string;
  cause: (run: JudgedRun) => string | undefined;
}

const validityRequirement: Requirement = {
  key: 'validity.verdict',
  message: 'a run is invalid',
  isMet: isSound,
  of: ({ validity }) => validity.verdict,
  cause: ({ validity: { verdict, reasons } }) => reasons.find(({ severity }) => severity === verdict)?.message,
};

const requirements: readonly Requirement[] = [
  {
    key: 'run.status',
    message: 'not every run completed',
    isMet: ({ run }) => run.status === 'completed',
    of: ({ run }) => run.status,
    cause: ({ run }) => run.stop?.reason,
  },
  validityRequirement,
  {
    key: 'books.balanced',
    message: 'the consistency checks of a run failed, so its figures cannot be right',
    isMet: ({ books }) => books?.balanced !== false,
    of: ({ books }) => (books?.balanced === false ? 'inconsistent' : 'consistent'),
    cause: () => undefined,
  },
];

/** Returns the requirements that runs do not meet; each names its runs, the reason, and the runs to exclude. */
export function unmetRequirements(sides: Sides): Refusal[] {
  return requirements.flatMap((requirement) => refusalBy(requirement, sides));
}

/** Returns the reason why a run cannot be compared, such as `degraded: sessions started late`; `undefined`: it can. */
export function shortcomingOf(run: JudgedRun, side: SideName): string | undefined {
  const unmet = requirements.find(({ isMet }) => !isMet(run, side));
  return unmet && phraseOf(unmet, run);
}

function phraseOf({ of, cause }: Requirement, run: JudgedRun): string {
  const why = cause(run);
  return why === undefined ? of(run) : `${of(run)}: ${why}`;
}

const maxListed = 3;

function refusalBy(requirement: Requirement, sides: Sides): Refusal[] {
  const { key, message, isMet, of } = requirement;
  const refused = sideNames.flatMap((name) => sides[name].runs.filter(({ result }) => !isMet(result, name)));
  if (refused.length === 0) return [];
  const byReason = groupBy(refused, ({ result }) => phraseOf(requirement, result));
  const runs = [...byReason].map(
    ([reason, group]) => `${listFirst([...new Set(group.map(nameOf))], maxListed)} (${reason})`,
  );
  const [base = '', head = ''] = sideNames.map((name) => tallyOf(sides[name].runs.map(({ result }) => of(result))));
  const remedy = exclusionRemedy(refused, sides);
  return [{ key, base, head, message, runs, remedy }];
}

/** Formats verdicts with their counts: `valid`, or `3 valid / 2 degraded`. */
function tallyOf(values: readonly string[]): string {
  const distinct = [...new Set(values)];
  if (distinct.length === 1) return distinct[0] ?? '';
  return distinct.map((value) => `${String(values.filter((each) => each === value).length)} ${value}`).join(' / ');
}

type JudgedValidity = Pick<Result, 'validity'>;

/** Returns the reason if only the service made a run invalid, not the generator; otherwise `null`. */
export function brokenBecause({ validity: { verdict, reasons } }: JudgedValidity): string | null {
  if (verdict !== 'invalid' || reasons.some(({ blame }) => blame === 'generator')) return null;
  return reasons.find(({ severity }) => severity === 'invalid')?.message ?? null;
}

/**
 * Reports whether a run can represent its side: unless it is invalid. Doubts about a run concern some of its figures, which are omitted one by
 * one. A head that its service broke is judged as such, but a broken base is not a baseline.
 */
function isSound(run: JudgedValidity, side: SideName): boolean {
  return run.validity.verdict !== 'invalid' || (side === 'head' && brokenBecause(run) !== null);
}

/** Minimum number of runs per side to omit invalid ones instead of refusing the comparison. */
const minRemaining = 2;

/**
 * Omits invalid runs and the runs of the same seeds on the other side, if at least two per side remain; otherwise returns the sides
 * unchanged. `omitted`: a sentence about each omitted run.
 */
export function omitInvalid(sides: Sides): { sides: Sides; omitted: string[] } {
  const invalid = sideNames.flatMap((name) => sides[name].runs.filter(({ result }) => !isSound(result, name)));
  const [base, head] = sideNames.map((name) => sides[name].runs.filter((run) => !invalid.includes(run)));
  if (invalid.length === 0 || base === undefined || head === undefined) return { sides, omitted: [] };
  const kept = { base: base.filter(hasPartnerIn(head)), head: head.filter(hasPartnerIn(base)) };
  const partners = [...base, ...head].filter((run) => !kept.base.includes(run) && !kept.head.includes(run));
  const isTooMuch = sideNames.some((name) => kept[name].length < minRemaining);
  // A run that the service broke is evidence about it, whatever else was wrong, and is never omitted.
  if (isTooMuch || [...invalid, ...partners].some(isBrokenByService)) return { sides, omitted: [] };
  return {
    sides: { base: { ...sides.base, runs: kept.base }, head: { ...sides.head, runs: kept.head } },
    omitted: [
      ...invalid.map(
        (run) => `${nameOf(run)} was omitted, because it is ${phraseOf(validityRequirement, run.result)}.`,
      ),
      ...partners.map((run) => `${nameOf(run)} was omitted, because the run of its seed on the other side was.`),
    ],
  };
}

const isBrokenByService = ({ result: { validity } }: RunOfSide): boolean =>
  validity.reasons.some(({ blame, severity }) => blame === 'service' && severity === 'invalid');

/** Runs of a pair have the same key; other runs have that of their seed. */
const partnerKey = ({ result: { run, scenario } }: RunOfSide): string =>
  run.pair === null ? String(scenario.seed) : JSON.stringify([run.sitting, run.pair]);

const hasPartnerIn = (others: readonly RunOfSide[]): ((run: RunOfSide) => boolean) => {
  const known = new Set(others.map(partnerKey));
  return (run) => known.has(partnerKey(run));
};

/** Describes how to compare without some runs: both sides must keep the same seeds. */
function exclusionRemedy(refused: readonly RunOfSide[], sides: Sides): string {
  const [base = [], head = []] = sideNames.map((name) => sides[name].runs.filter((run) => !refused.includes(run)));
  const [ofBase, ofHead] = [seedsOf(base), seedsOf(head)];
  const others = [...base.filter(isOtherThan(ofHead)), ...head.filter(isOtherThan(ofBase))];
  const isOne = refused.length === 1;
  if (others.length === base.length + head.length)
    return `Measure again: without ${isOne ? 'it' : 'them'} the sides have no seed in common.`;
  const it = `Exclude ${isOne ? 'it' : 'them'}`;
  if (others.length === 0) return `${it}.`;
  const runs = others.length === 1 ? 'the run of the same seed' : 'the runs of the same seeds';
  return `${it}, and ${runs} on the other side: ${listFirst(others.map(nameOf), maxListed)}.`;
}

const seedsOf = (runs: readonly RunOfSide[]): Set<number> => new Set(runs.map(({ result }) => result.scenario.seed));

const isOtherThan =
  (seeds: ReadonlySet<number>) =>
  ({ result }: RunOfSide): boolean =>
    !seeds.has(result.scenario.seed);
