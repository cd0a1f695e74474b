import { failedAttempts, failedTurns, total, type Counters } from '../../record/counters.ts';
import { checkNames, type CheckName } from '../../session/integrity/finding.ts';
import { finishedClassNames, traitsOf } from '../../protocol/outcome.ts';
import { dueOf, type Books } from '../books/books.ts';
import { shareOf } from '../../base/field.ts';
import { integrityFailures } from '../sections/integrity.ts';
import { verdicts } from '../validity/judge-validity.ts';
import { compareFailures, compareRate, type Metric, type Published, type Reading } from './metric.ts';
import { followRate, followShare } from './drift-series.ts';
import { countPart, excessPart, sharePart } from './metric-part.ts';
import type { Outcomes } from '../sections/outcomes.ts';

/** Shares, counts, rates and ratios: `turns.failedShare`, `rates.turnsPerSecond`, `retries.amplification`, ... */
export const countMetrics: readonly Metric[] = [
  metric(
    {
      name: 'turns.failedShare',
      part: sharePart(({ turns }) => [failedTurns(turns), finishedTurns(turns)]),
      unit: 'share',
      worse: 'higher',
      meaning: 'failed turns of ok and failed ones',
      comparison: { ...compareFailures('turns.failed', 'turns.finished'), decides: 4 },
      drift: followShare(({ turns }) => turns.failed),
    },
    ({ outcomes: { turns } }) => shareOf(failedTurns(turns), finishedTurns(turns)),
  ),
  metric(
    {
      name: 'turns.failed',
      part: countPart(({ turns }) => [failedTurns(turns), finishedTurns(turns)]),
      unit: 'count',
      worse: 'higher',
      meaning: 'turns that failed for good',
    },
    ({ outcomes: { turns } }) => counted(failedTurns(turns), finishedTurns(turns)),
  ),
  metric(
    { name: 'turns.ok', unit: 'count', worse: 'lower', meaning: 'turns that ended ok' },
    ({ outcomes: { turns } }) => counted(turns.ok, finishedTurns(turns)),
  ),
  metric(
    { name: 'turns.skipped', unit: 'count', worse: 'higher', meaning: 'turns never sent' },
    ({ outcomes: { turns } }) => counted(turns.skipped_prior_failure + turns.skipped_run_end, plannedTurns(turns)),
  ),
  metric(
    { name: 'turns.aborted', unit: 'count', worse: 'higher', meaning: 'turns cut while in flight' },
    ({ outcomes: { turns } }) => counted(turns.aborted, plannedTurns(turns)),
  ),
  metric(
    {
      name: 'turns.abandonedShare',
      part: sharePart(({ turns }) => [turns.abandoned, turns.abandoned + finishedTurns(turns)]),
      unit: 'share',
      worse: 'higher',
      meaning: 'turns whose user left before the reply was complete, of these and the ok and failed ones',
    },
    ({ outcomes: { turns } }) => shareOf(turns.abandoned, turns.abandoned + finishedTurns(turns)),
  ),
  {
    name: 'turns.unansweredShare',
    unit: 'share',
    worse: 'higher',
    isKnownAtEnd: true,
    comparison: { ...compareFailures('turns.unanswered', 'turns.finishedOrNot'), isOfTotals: true, decides: 6 },
    meaning: 'turns that had no answer when the run ended, of these and the ok and failed ones',
    read: (result) => readAtEnd(result, result.outcomes.unanswered.turns.share),
  },
  metric(
    {
      name: 'attempts.failedShare',
      part: sharePart(({ attempts }) => [failedAttempts(attempts), finishedAttempts(attempts)]),
      unit: 'share',
      worse: 'higher',
      meaning: 'attempts of turns that failed, of all that were not cut',
      comparison: compareFailures('attempts.failed', 'attempts.finished'),
    },
    (result) => shareOf(failedAttempts(result.outcomes.attempts), finishedAttempts(result.outcomes.attempts)),
  ),
  ...finishedClassNames.flatMap((name) => [
    metric(
      {
        name: `outcomes.${name}.share`,
        part: sharePart(({ attempts }) => [attempts[name], finishedAttempts(attempts)]),
        unit: 'share',
        worse: name === 'ok' ? 'lower' : 'higher',
        meaning: `attempts of turns of class ${name}, of all that were not cut`,
        ...(name !== 'ok' && { comparison: compareFailures(`attempts.${name}`, 'attempts.finished') }),
      },
      (result) => shareOf(result.outcomes.attempts[name], finishedAttempts(result.outcomes.attempts)),
    ),
    metric(
      {
        name: `outcomes.${name}.count`,
        part: countPart(({ attempts }) => [attempts[name], finishedAttempts(attempts)]),
        unit: 'count',
        worse: name === 'ok' ? 'lower' : 'higher',
        meaning: `attempts of turns of class ${name}`,
      },
      (result) => counted(result.outcomes.attempts[name], finishedAttempts(result.outcomes.attempts)),
    ),
  ]),
  metric(
    {
      name: 'sessions.failedShare',
      part: sharePart(({ sessions: { failed, create_failed, completed } }) => [
        failed + create_failed,
        failed + create_failed + completed,
      ]),
      unit: 'share',
      worse: 'higher',
      meaning: 'sessions not created or failed, of all started ones that were not cut',
    },
    ({ books }) => failedSessionsShare(books),
  ),
  metric(
    {
      name: 'sessions.createFailedShare',
      part: sharePart(({ sessions: { create_failed, created } }) => [create_failed, create_failed + created]),
      unit: 'share',
      worse: 'higher',
      meaning: 'creations that failed for good, of those that were not cut',
      comparison: { ...compareFailures('sessions.createFailed', 'sessions.createEnded'), decides: 5 },
    },
    ({ books: { sessions, warmUp } }) => {
      const failed = sessions.create_failed - warmUp.sessions.create_failed;
      return shareOf(failed, failed + sessions.created - warmUp.sessions.created);
    },
  ),
  {
    name: 'sessions.startedShare',
    unit: 'share',
    worse: 'lower',
    isKnownAtEnd: true,

    meaning: 'sessions started, of those that became due',
    read: (result) => readAtEnd(result, shareOf(dueOf(result.books).started, dueOf(result.books).due)),
  },
  {
    name: 'sessions.unansweredShare',
    unit: 'share',
    worse: 'higher',
    isKnownAtEnd: true,

    meaning: 'creations that had no answer when the run ended, of these and the finished ones',
    read: (result) => readAtEnd(result, result.outcomes.unanswered.creations.share),
  },
  metric(
    {
      name: 'sessions.dropped',
      part: countPart(({ sessions }) => [sessions.dropped, sessions.dropped + sessions.started]),
      unit: 'count',
      worse: 'higher',
      meaning: 'sessions dropped',
    },
    ({ books }) => counted(dueOf(books).dropped, dueOf(books).due),
  ),
  metric(
    {
      name: 'retries.amplification',
      part: excessPart(({ retries, turnFlow }) => [total(retries), turnFlow.sent]),
      unit: 'ratio',
      worse: 'higher',
      meaning: 'attempts per turn sent',
      comparison: { source: { kind: 'ratio', of: 'attempts.sent', per: 'turns.sent' }, margin: 0.02, decides: 12 },
    },
    ({ retries }) => retries.amplification,
  ),
  metric(
    {
      name: 'retries.count',
      part: countPart(({ retries, turnFlow }) => [total(retries), turnFlow.sent]),
      unit: 'count',
      worse: 'higher',
      meaning: 'retries of turns',
    },
    ({ retries }) => counted(retries.retries, retries.turnsSent),
  ),
  metric(
    {
      name: 'retries.ambiguous',
      part: countPart(({ retries, turnFlow }) => [
        finishedClassNames.reduce((sum, name) => sum + (traitsOf(name).ambiguous ? retries[name] : 0), 0),
        turnFlow.sent,
      ]),
      unit: 'count',
      worse: 'higher',
      meaning: 'retries that may have repeated work',
    },
    ({ retries }) => counted(retries.ambiguous, retries.turnsSent),
  ),
  metric(
    {
      name: 'retries.exhausted',
      part: countPart(({ gaveUp, turnFlow }) => [gaveUp.exhausted, turnFlow.sent]),
      unit: 'count',
      worse: 'higher',
      meaning: 'turns that used up their attempts',
    },
    ({ retries }) => counted(retries.gaveUp.exhausted, retries.turnsSent),
  ),
  metric(
    { name: 'retries.recovered', unit: 'count', worse: null, meaning: 'ok turns that needed more than one attempt' },
    ({ retries }) => counted(retries.recovered, retries.turnsSent),
  ),
  metric(
    {
      name: 'rates.turnsPerSecond',
      unit: 'perSecond',
      worse: 'lower',
      meaning: 'ok and failed turns',
      comparison: { ...compareRate('turns.finished'), decides: 11 }, // Under open load the rate is the schedule's.
      drift: { ...followRate, isAsked: ({ load }) => load.model === 'closed' },
    },
    ({ rates }) => rates.turnsPerSecond,
  ),
  metric(
    {
      name: 'goodput.share',
      part: sharePart(({ turns, turnFlow }) => [turnFlow.good, finishedTurns(turns)]),
      unit: 'share',
      worse: 'lower',
      meaning: 'good turns of ok and failed ones', // Moves with latency, around the objective: half a percentage point.
      comparison: { source: { kind: 'share', of: 'turns.good', among: 'turns.finished', rare: 'rest' }, margin: 0.005 },
      // Without an objective every ok turn is good.
      drift: { ...followShare(({ turns }) => turns.good), isAsked: ({ objectiveMs }) => objectiveMs !== null },
    },
    ({ retries }) => retries.goodput.share,
  ),
  metric(
    { name: 'rates.attemptsPerSecond', unit: 'perSecond', worse: null, meaning: 'attempts of turns' },
    ({ rates }) => rates.attemptsPerSecond,
  ),
  metric(
    { name: 'rates.sessionsPerSecond', unit: 'perSecond', worse: 'lower', meaning: 'sessions completed or failed' },
    ({ rates }) => rates.sessionsPerSecond,
  ),
  metric(
    { name: 'rates.sessionsStartedPerSecond', unit: 'perSecond', worse: 'lower', meaning: 'sessions started' },
    ({ rates }) => rates.sessionsStartedPerSecond,
  ),
  metric(
    {
      name: 'rates.goodputPerSecond',
      unit: 'perSecond',
      worse: 'lower',
      meaning: 'good turns',
      comparison: compareRate('turns.good'),
    },
    ({ rates }) => rates.goodputPerSecond,
  ),
  metric(
    {
      name: 'stream.sharedReads',
      part: sharePart(({ streams }) => [streams.sharedReads, streams.gapsOk + streams.gapsFailed]),
      unit: 'share',
      worse: 'higher',
      meaning: 'content events that came in one read with the event before, of all but the first of each reply',
    },
    ({ stream }) => stream.sharedReads,
  ),
  metric(
    {
      name: 'stream.outputTokensPerSecond',
      unit: 'perSecond',
      worse: 'lower',
      meaning: 'output tokens of ok turns, as their replies told them',
      comparison: { ...compareRate('stream.outputTokens'), isOfTotals: true },
    },
    ({ stream }) => stream.outputTokensPerSecond,
  ),
  metric(
    {
      name: 'stream.missingDone',
      part: countPart(({ streams }) => [streams.missingDone, streams.ok + streams.failed]),
      unit: 'count',
      worse: 'higher',
      meaning: 'replies in pieces that lacked the mark behind their end',
    },
    ({ stream }) => counted(stream.missingDone, stream.replies),
  ),
  metric(
    {
      name: 'stream.retriesAfterContent',
      part: countPart(({ streams }) => [streams.retriesAfterContent, streams.ok + streams.failed]),
      unit: 'count',
      worse: 'higher',
      meaning: 'retries of attempts of which content had come',
    },
    ({ stream }) => counted(stream.retriesAfterContent, stream.replies),
  ),
  metric(
    { name: 'concurrency.sessions.mean', unit: 'count', worse: null, meaning: 'live sessions, weighted by time' },
    (result) => counted(result.concurrency.sessions.mean, result.rates.measuredMs),
  ),
  metric(
    { name: 'concurrency.turns.mean', unit: 'count', worse: null, meaning: 'turns in flight, weighted by time' },
    (result) => counted(result.concurrency.turns.mean, result.rates.measuredMs),
  ),
  metric(
    {
      name: 'integrity.failed',
      part: countPart(({ integrity }) => [integrityFailures(integrity), integrity.replies]),
      unit: 'count',
      worse: 'higher',
      meaning: 'replies that broke a check of the integrity guard', // A reply in the wrong conversation is worse than one that fails: one in ten thousand matters.
      comparison: { source: { kind: 'share', of: 'integrity.failed', among: 'integrity.replies' }, margin: 0.0001 },
    },
    ({ integrity }) => counted(integrity.failed, integrity.replies),
  ),
  ...checkNames.map((name) =>
    metric(
      {
        name: `integrity.${name}.failed`,
        part: countPart(({ integrity }) => [integrity[`${name}.failed`], integrity[`${name}.checked`]]),
        unit: 'count',
        worse: 'higher',
        meaning: `replies that broke the check ${name}`,
      },
      ({ integrity }) => {
        const { failed, checked } = checkOf(integrity, name);
        return counted(failed, checked);
      },
    ),
  ),
  metric(
    {
      name: 'validity',
      unit: 'verdict',
      worse: 'lower',
      meaning: 'whether the run can be trusted: invalid, degraded, valid',
      isKnownAtEnd: true,
    },
    ({ validity }) => verdicts.indexOf(validity.verdict),
  ),
];

/** A metric without a value where its reading is `null`: nothing was counted. */
function metric(definition: Omit<Metric, 'read'>, valueOf: (result: Published) => number | null): Metric {
  const read = (result: Published): Reading => {
    const value = valueOf(result);
    return value === null ? { value, reason: 'no samples' } : { value };
  };
  return { ...definition, read };
}

/**
 * Unstarted sessions and unanswered turns are known only when a run ends: before that, and for one that died, they are
 * missing.
 */
function readAtEnd({ books }: Published, value: number | null): Reading {
  if (books.balanced === null) return { value: null, reason: 'known only for a run that ended' };
  return value === null ? { value, reason: 'no samples' } : { value };
}

const checkOf = ({ checks }: Published['integrity'], name: CheckName): { checked: number; failed: number } =>
  checks.find((check) => check.name === name) ?? { checked: 0, failed: 0 };

/** A count means something only if there was something to count. */
const counted = (value: number, among: number): number | null => (among > 0 ? value : null);

const finishedTurns = (turns: Counters['turns']): number => turns.ok + failedTurns(turns);
const plannedTurns = (turns: Outcomes['turns']): number => Object.values(turns).reduce((sum, each) => sum + each, 0);
const finishedAttempts = (attempts: Counters['attempts']): number =>
  finishedClassNames.reduce((sum, name) => sum + attempts[name], 0);

function failedSessionsShare({ sessions, warmUp }: Books): number | null {
  const measured = (name: 'failed' | 'create_failed' | 'completed') => sessions[name] - warmUp.sessions[name];
  const failed = measured('failed') + measured('create_failed');
  return shareOf(failed, failed + measured('completed'));
}
