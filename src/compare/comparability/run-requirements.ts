import { listFirst } from '../../base/list-first.ts';
import type { Result } from '../../result/result.ts';
import type { Refusal } from '../document/comparison.ts';
import { nameOf, sideNames, type SideName, type Sides } from '../document/side.ts';
import { sayWhatToLeaveOut } from './leave-out.ts';
import { isSound } from './soundness.ts';

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

const mostNamed = 3;

function refusalBy(requirement: Requirement, sides: Sides): Refusal[] {
  const { key, message, isMet, of } = requirement;
  const refused = sideNames.flatMap((name) => sides[name].runs.filter(({ result }) => !isMet(result, name)));
  if (refused.length === 0) return [];
  const named = refused.map((run) => `${nameOf(run)} (${phraseOf(requirement, run.result)})`);
  const [base = '', head = ''] = sideNames.map((name) => tallyOf(sides[name].runs.map(({ result }) => of(result))));
  const remedy = sayWhatToLeaveOut(refused, sides);
  return [{ key, base, head, message: `${message}: ${listFirst(named, mostNamed)}`, remedy }];
}

/** `valid`, or `3 valid / 2 degraded`. */
function tallyOf(values: readonly string[]): string {
  const distinct = [...new Set(values)];
  if (distinct.length === 1) return distinct[0] ?? '';
  return distinct.map((value) => `${String(values.filter((each) => each === value).length)} ${value}`).join(' / ');
}
