import { failedTurns } from '../../record/counters.ts';
import { countOf, formatCount } from '../../base/format.ts';
import { failedClassNames, type FinishedClass } from '../../protocol/outcome.ts';
import type { Operation } from '../../protocol/protocol.ts';
import { measuredLedger, type Books } from '../books/books.ts';
import type { Example } from '../../record/examples.ts';
import type { Outcomes } from '../sections/outcomes.ts';
import type { Stop } from '../sections/run-facts.ts';

export interface Failing {
  books: Books;
  outcomes: Outcomes;
  examples: readonly Example[];
  stop: Stop | null;
}

interface Failure {
  kind: 'creations' | 'turns' | 'cut';
  count: number;
  /** Total number of sessions, or of ended turns. */
  among: number;
  /** Frequency of each class of turns, or of attempts to create a session; the most frequent first. */
  classes: readonly Failed[];
}

interface Failed {
  outcome: FinishedClass;
  count: number;
  /** HTTP status of an example; 0 if no example has a meaningful one. */
  status: number;
}

/**
 * Returns the failures of a run: sessions that were not created, failed turns, and sessions that were cut although neither
 * the scenario nor a stop had ended the run. Kinds without a failure are omitted.
 */
export function failuresOf(result: Failing): Failure[] {
  const { books, outcomes, stop } = result;
  const { sessions } = measuredLedger(books);
  const failed = failedTurns(outcomes.turns);
  const kinds: readonly Failure[] = [
    {
      kind: 'creations',
      count: sessions.create_failed,
      among: sessions.started,
      classes: classesOf('create', outcomes.createAttempts, result),
    },
    {
      kind: 'turns',
      count: failed,
      among: outcomes.turns.ok + failed,
      classes: classesOf('message', outcomes.turns, result),
    },
    {
      kind: 'cut',
      count: stop === null ? sessions.cut + sessions.create_cut : 0,
      among: sessions.started,
      classes: [],
    },
  ];
  return kinds.filter(({ count }) => count > 0);
}

/** Returns the failures that none of these metrics covers. Turn classes with their own gate are omitted. */
export function unwatchedFailures(result: Failing, watched: readonly string[]): Failure[] {
  return failuresOf(result).flatMap((failure) => {
    if (watched.some((metric) => looksAt[failure.kind].test(metric))) return [];
    if (failure.kind !== 'turns') return [failure];
    const classes = failure.classes.filter(
      ({ outcome }) => !watched.some((metric) => metric.startsWith(`outcomes.${outcome}.`)),
    );
    const count = classes.reduce((sum, each) => sum + each.count, 0);
    return count === 0 ? [] : [{ ...failure, classes, count }];
  });
}

/** Describes a failure: `29 of 30 sessions were not created (404 agent_not_found)`. */
export function failureText({ kind, count, among, classes }: Failure): string {
  const of = `${formatCount(count)} of`;
  switch (kind) {
    case 'creations':
      return `${of} ${countOf(among, 'session')} ${count === 1 ? 'was' : 'were'} not created${causeText(classes)}`;
    case 'turns':
      return `${of} ${countOf(among, 'turn')} failed${causeText(classes)}`;
    case 'cut':
      return `${of} ${countOf(among, 'session')} ${count === 1 ? 'was' : 'were'} cut at the end of the run`;
  }
}

/** Gates that fail if there are enough failures of a kind; gates of single classes are matched separately. */
const looksAt: Readonly<Record<Failure['kind'], RegExp>> = {
  creations: /^(sessions\.failedShare|turns\.ok)$/,
  turns:
    /^(sessions\.failedShare|turns\.(ok|failed|failedShare)|attempts\.failedShare|goodput\.share|rates\.goodputPerSecond|(turn|effective)\.adjusted\..*)$/,
  cut: /^(turns\.(ok|aborted|skipped)|(turns|sessions)\.unansweredShare)$/,
};

function classesOf(
  operation: Operation,
  counts: Readonly<Record<FinishedClass, number>>,
  { examples }: Failing,
): Failed[] {
  return failedClassNames
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => {
      const example = examples.find((each) => each.outcome === outcome && each.operation === operation);
      const status = example?.status ?? 0;
      return { outcome, count: counts[outcome], status: status >= 300 ? status : 0 };
    })
    .toSorted((a, b) => b.count - a.count);
}

function causeText([first, ...others]: readonly Failed[]): string {
  if (first === undefined) return '';
  const status = first.status === 0 ? '' : `${String(first.status)} `;
  return ` (${others.length === 0 ? '' : 'mostly '}${status}${first.outcome})`;
}
