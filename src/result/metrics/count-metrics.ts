import { checkNames, type CheckName } from '../../session/integrity/check-names.ts';
import { finishedClassNames } from '../../protocol/outcome.ts';
import { dueOf, type Books } from '../books/books.ts';
import { shareOf } from '../../base/field.ts';
import { verdicts } from '../validity/judge-validity.ts';
import type { Metric, MetricUnit, Published, Reading } from './metric.ts';
import { failedTurns, type Outcomes } from '../sections/outcomes.ts';

/** Shares, counts, rates and ratios: `turns.failedShare`, `rates.turnsPerSecond`, `retries.amplification`, ... */
export const countMetrics: readonly Metric[] = [
  metric('turns.failedShare', 'share', 'failed turns of ok and failed ones', ({ outcomes: { turns } }) =>
    shareOf(failedTurns(turns), finishedTurns(turns)),
  ),
  metric('turns.failed', 'count', 'turns that failed for good', ({ outcomes: { turns } }) =>
    counted(failedTurns(turns), finishedTurns(turns)),
  ),
  metric('turns.ok', 'count', 'turns that ended ok', ({ outcomes: { turns } }) =>
    counted(turns.ok, finishedTurns(turns)),
  ),
  metric('turns.skipped', 'count', 'turns never sent', ({ outcomes: { turns } }) =>
    counted(turns.skipped_prior_failure + turns.skipped_run_end, plannedTurns(turns)),
  ),
  metric('turns.aborted', 'count', 'turns cut while in flight', ({ outcomes: { turns } }) =>
    counted(turns.aborted, plannedTurns(turns)),
  ),
  {
    name: 'turns.unansweredShare',
    unit: 'share',
    meaning: 'turns that had no answer when the run ended, of these and the ok and failed ones',
    read: (result) => readAtEnd(result, result.outcomes.unanswered.turns.share),
  },
  metric(
    'attempts.failedShare',
    'share',
    'attempts of turns that were not ok, of all that ended by themselves',
    (result) => shareOf(finishedAttempts(result) - result.outcomes.attempts.ok, finishedAttempts(result)),
  ),
  ...finishedClassNames.flatMap((name) => [
    metric(
      `outcomes.${name}.share`,
      'share',
      `attempts of turns of class ${name}, of all that ended by themselves`,
      (result) => shareOf(result.outcomes.attempts[name], finishedAttempts(result)),
    ),
    metric(`outcomes.${name}.count`, 'count', `attempts of turns of class ${name}`, (result) =>
      counted(result.outcomes.attempts[name], finishedAttempts(result)),
    ),
  ]),
  metric(
    'sessions.failedShare',
    'share',
    'sessions not created or failed, of all started ones that were not cut',
    ({ books }) => failedSessionsShare(books),
  ),
  metric(
    'sessions.createFailedShare',
    'share',
    'creations that failed for good, of those that ended by themselves',
    ({ books: { sessions, warmUp } }) => {
      const failed = sessions.create_failed - warmUp.sessions.create_failed;
      return shareOf(failed, failed + sessions.created - warmUp.sessions.created);
    },
  ),
  {
    name: 'sessions.startedShare',
    unit: 'share',
    meaning: 'sessions started, of those that became due',
    read: (result) => readAtEnd(result, shareOf(dueOf(result.books).started, dueOf(result.books).due)),
  },
  {
    name: 'sessions.unansweredShare',
    unit: 'share',
    meaning: 'creations that had no answer when the run ended, of these and the finished ones',
    read: (result) => readAtEnd(result, result.outcomes.unanswered.creations.share),
  },
  metric('sessions.dropped', 'count', 'sessions dropped', ({ books }) =>
    counted(dueOf(books).dropped, dueOf(books).due),
  ),
  metric('retries.amplification', 'ratio', 'attempts a turn sent', ({ retries }) => retries.amplification),
  metric('retries.count', 'count', 'retries of turns', ({ retries }) => counted(retries.retries, retries.turnsSent)),
  metric('retries.ambiguous', 'count', 'retries that may have repeated work', ({ retries }) =>
    counted(retries.ambiguous, retries.turnsSent),
  ),
  metric('retries.exhausted', 'count', 'turns that used up their attempts', ({ retries }) =>
    counted(retries.gaveUp.exhausted, retries.turnsSent),
  ),
  metric('retries.recovered', 'count', 'ok turns that took more than one attempt', ({ retries }) =>
    counted(retries.recovered, retries.turnsSent),
  ),
  metric('goodput.share', 'share', 'good turns of ok and failed ones', ({ retries }) => retries.goodput.share),
  metric('rates.turnsPerSecond', 'perSecond', 'ok and failed turns', ({ rates }) => rates.turnsPerSecond),
  metric('rates.attemptsPerSecond', 'perSecond', 'attempts of turns', ({ rates }) => rates.attemptsPerSecond),
  metric(
    'rates.sessionsPerSecond',
    'perSecond',
    'sessions completed or failed',
    ({ rates }) => rates.sessionsPerSecond,
  ),
  metric(
    'rates.sessionsStartedPerSecond',
    'perSecond',
    'sessions started',
    ({ rates }) => rates.sessionsStartedPerSecond,
  ),
  metric('rates.goodputPerSecond', 'perSecond', 'good turns', ({ rates }) => rates.goodputPerSecond),
  metric('concurrency.sessions.mean', 'count', 'live sessions, weighted by time', (result) =>
    counted(result.concurrency.sessions.mean, result.rates.measuredMs),
  ),
  metric('concurrency.turns.mean', 'count', 'turns in flight, weighted by time', (result) =>
    counted(result.concurrency.turns.mean, result.rates.measuredMs),
  ),
  metric('integrity.failed', 'count', 'replies that broke a check of the integrity guard', ({ integrity }) =>
    counted(integrity.failed, integrity.replies),
  ),
  ...checkNames.map((name) =>
    metric(`integrity.${name}.failed`, 'count', `replies that broke the check ${name}`, ({ integrity }) => {
      const { failed, checked } = checkOf(integrity, name);
      return counted(failed, checked);
    }),
  ),
  metric('validity', 'verdict', 'whether the run can be trusted: invalid, degraded, valid', ({ validity }) =>
    verdicts.indexOf(validity.verdict),
  ),
];

/** A metric that has no value where its reading is `null`: nothing happened that it could be about. */
function metric(
  name: string,
  unit: MetricUnit,
  meaning: string,
  valueOf: (result: Published) => number | null,
): Metric {
  const read = (result: Published): Reading => {
    const value = valueOf(result);
    return value === null ? { value, reason: 'no samples' } : { value };
  };
  return { name, unit, meaning, read };
}

/** What was not started, or had no answer, is told when a run ends: before that, and of one that died, it would be missing. */
function readAtEnd({ books }: Published, value: number | null): Reading {
  if (books.balanced === null) return { value: null, reason: 'known only of a run that came to its end' };
  return value === null ? { value, reason: 'no samples' } : { value };
}

const checkOf = ({ checks }: Published['integrity'], name: CheckName): { checked: number; failed: number } =>
  checks.find((check) => check.name === name) ?? { checked: 0, failed: 0 };

/** A count says something only where there was something to count: none of nothing is no news. */
const counted = (value: number, among: number): number | null => (among > 0 ? value : null);

const finishedTurns = (turns: Outcomes['turns']): number => turns.ok + failedTurns(turns);
const plannedTurns = (turns: Outcomes['turns']): number => Object.values(turns).reduce((sum, each) => sum + each, 0);
const finishedAttempts = ({ outcomes: { attempts } }: Published): number =>
  finishedClassNames.reduce((sum, name) => sum + attempts[name], 0);

function failedSessionsShare({ sessions, warmUp }: Books): number | null {
  const measured = (name: 'failed' | 'create_failed' | 'completed') => sessions[name] - warmUp.sessions[name];
  const failed = measured('failed') + measured('create_failed');
  return shareOf(failed, failed + measured('completed'));
}
