import { listFirst } from '../../base/format.ts';
import { groupBy } from '../../base/group-by.ts';
import type { Result } from '../../result/result.ts';
import type { Refusal } from '../document/comparison.ts';
import { nameOf, sideNames, type SideName, type Sides, type RunOfSide } from '../document/side.ts';
import { isOfAttribution, isOfGaps } from '../../result/validity/rule.ts';

/** Properties that decide whether a run may be compared; `books` only if they were read. */
type JudgedRun = Pick<Result, 'run' | 'validity'> & Partial<Pick<Result, 'books'>>;

interface Requirement {
  key: string;
  message: string;
  isMet: (run: JudgedRun, side: SideName) => boolean;
  of: (run: JudgedRun) => string;
  cause: (run: JudgedRun) => string | undefined;
}

const requirements: readonly Requirement[] = [
  {
    key: 'run.status',
    message: 'not every run completed',
    isMet: ({ run }) => run.status === 'completed',
    of: ({ run }) => run.status,
    cause: ({ run }) => run.stop?.reason,
  },
  {
    key: 'validity.verdict',
    message: 'not every run is valid',
    isMet: isSound,
    of: ({ validity }) => validity.verdict,
    cause: ({ validity: { verdict, reasons } }) => reasons.find(({ severity }) => severity === verdict)?.message,
  },
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
 * Reports whether a run can represent its side. Doubts caused by its service are judged like any other figure; doubts
 * about gaps only remove the metrics of gaps from the gate, and model calls without a turn only the metrics of model calls
 * by turn. A head that its service broke is judged as such, but a broken base is not a baseline.
 */
function isSound(run: JudgedValidity, side: SideName): boolean {
  const { verdict, reasons } = run.validity;
  if (verdict === 'valid') return true;
  if (verdict === 'invalid') return side === 'head' && brokenBecause(run) !== null;
  const isHarmless = (reason: (typeof reasons)[number]): boolean =>
    reason.blame === 'service' || isOfGaps(reason) || isOfAttribution(reason);
  return reasons.length > 0 && reasons.every(isHarmless);
}

/** Reports whether a run is not evidence about its service, so that it may be omitted: it cannot be trusted, and the service did not break it. */
export function isNoEvidence({ validity: { verdict, reasons } }: JudgedValidity): boolean {
  return (
    !isSound({ validity: { verdict, reasons } }, 'head') &&
    !reasons.some(({ blame, severity }) => blame === 'service' && severity === 'invalid')
  );
}

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
