import { listFirst } from '../../base/format.ts';
import type { Result } from '../../result/result.ts';
import type { Refusal } from '../document/comparison.ts';
import { nameOf, sideNames, type SideName, type Sides, type RunOfSide } from '../document/side.ts';
import { isOfGaps } from '../../result/validity/rule.ts';

/** What decides whether a run may be compared; its books as far as they are read. */
type JudgedRun = Pick<Result, 'run' | 'validity'> & Partial<Pick<Result, 'books'>>;

interface Requirement {
  key: string;
  message: string;
  isMet: (run: JudgedRun, side: SideName) => boolean;
  /** What is there, in a word. */
  of: (run: JudgedRun) => string;
  /** Why, as far as the run says. */
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
    message: 'not every run is valid by its own verdict',
    isMet: isSound,
    of: ({ validity }) => validity.verdict,
    cause: ({ validity: { verdict, reasons } }) => reasons.find(({ severity }) => severity === verdict)?.message,
  },
  {
    key: 'books.balanced',
    message: 'figures cannot be right where the books of a run do not balance',
    isMet: ({ books }) => books?.balanced !== false,
    of: ({ books }) => (books?.balanced === false ? 'not balanced' : 'balanced'),
    cause: () => undefined,
  },
];

/** The requirements that a run does not meet by itself; each names its runs, why, and what to leave out. */
export function unmetRequirements(sides: Sides): Refusal[] {
  return requirements.flatMap((requirement) => refusalBy(requirement, sides));
}

/** Why a run cannot be compared, in a phrase such as `degraded: sessions started late`; `undefined`: it can. */
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
  const named = refused.map((run) => `${nameOf(run)} (${phraseOf(requirement, run.result)})`);
  const [base = '', head = ''] = sideNames.map((name) => tallyOf(sides[name].runs.map(({ result }) => of(result))));
  const remedy = sayWhatToLeaveOut(refused, sides);
  return [{ key, base, head, message: `${message}: ${listFirst(named, maxListed)}`, remedy }];
}

/** `valid`, or `3 valid / 2 degraded`. */
function tallyOf(values: readonly string[]): string {
  const distinct = [...new Set(values)];
  if (distinct.length === 1) return distinct[0] ?? '';
  return distinct.map((value) => `${String(values.filter((each) => each === value).length)} ${value}`).join(' / ');
}

type JudgedValidity = Pick<Result, 'validity'>;

/** Why the service broke a run: only the service, not the generator, makes it invalid; `null` where it did not. */
export function brokenBecause({ validity: { verdict, reasons } }: JudgedValidity): string | null {
  if (verdict !== 'invalid' || reasons.some(({ blame }) => blame === 'generator')) return null;
  return reasons.find(({ severity }) => severity === 'invalid')?.message ?? null;
}

/**
 * Whether a run can represent its side. Doubts caused by its service are judged like any other figure; doubts about gaps
 * take only the metrics of gaps out of the gate; a head that its
 * service broke is judged for that, but a broken base cannot be compared with.
 */
function isSound(run: JudgedValidity, side: SideName): boolean {
  const { verdict, reasons } = run.validity;
  if (verdict === 'valid') return true;
  if (verdict === 'invalid') return side === 'head' && brokenBecause(run) !== null;
  return reasons.length > 0 && reasons.every((reason) => reason.blame === 'service' || isOfGaps(reason));
}

/** Whether a run is no evidence about its service, so that it may be left out: it cannot be trusted, and the service did not break it. */
export function isNoEvidence({ validity: { verdict, reasons } }: JudgedValidity): boolean {
  return (
    !isSound({ validity: { verdict, reasons } }, 'head') &&
    !reasons.some(({ blame, severity }) => blame === 'service' && severity === 'invalid')
  );
}

/** How to compare without some runs: both sides have to keep the same seeds. */
function sayWhatToLeaveOut(refused: readonly RunOfSide[], sides: Sides): string {
  const [base = [], head = []] = sideNames.map((name) => sides[name].runs.filter((run) => !refused.includes(run)));
  const [ofBase, ofHead] = [seedsOf(base), seedsOf(head)];
  const others = [...base.filter(isOtherThan(ofHead)), ...head.filter(isOtherThan(ofBase))];
  const isOne = refused.length === 1;
  if (others.length === base.length + head.length)
    return `Measure again: without ${isOne ? 'it' : 'them'} no seed is left on both sides.`;
  const it = `Leave ${isOne ? 'it' : 'them'} out`;
  if (others.length === 0) return `${it}.`;
  const runs = others.length === 1 ? 'the run of the same seed' : 'the runs of the same seeds';
  return `${it}, with ${runs} on the other side: ${listFirst(others.map(nameOf), maxListed)}.`;
}

const seedsOf = (runs: readonly RunOfSide[]): Set<number> => new Set(runs.map(({ result }) => result.scenario.seed));

const isOtherThan =
  (seeds: ReadonlySet<number>) =>
  ({ result }: RunOfSide): boolean =>
    !seeds.has(result.scenario.seed);
