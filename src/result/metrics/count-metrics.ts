import { failedAttempts, failedTurns, laterEvents, total, type Counters } from '../../record/counters.ts';
import { checkNames } from '../../session/integrity/finding.ts';
import { finishedClassNames } from '../../protocol/outcome.ts';
import { dueOf, measuredLedger } from '../books/books.ts';
import { shareOf } from '../../base/field.ts';
import { integrityFailures } from '../sections/integrity.ts';
import { ambiguousRetries } from '../sections/retries.ts';
import { verdicts } from '../validity/judge-validity.ts';
import { finishMetrics } from './finish-metrics.ts';
import { modelMetrics } from './model-metrics.ts';
import { usageMetrics } from './usage-metrics.ts';
import { compareFailures, compareRate, type Metric, type Published, type Reading } from './metric.ts';
import { followRate, followShare } from './drift-series.ts';
import { countPart, excessPart, sharePart, type ReadCounters } from './metric-part.ts';

/** Metrics that are shares, counts, rates and ratios: `turns.failedShare`, `rates.turnsPerSecond`, `retries.amplification`, ... */
export const countMetrics: readonly Metric[] = [
  share('turns.failedShare', 'higher', 'share of failed turns among ok and failed turns', failedOfTurns, {
    comparison: { ...compareFailures('turns.failed', 'turns.finished'), decides: 4 },
    drift: followShare(({ turns }) => turns.failed),
  }),
  number('turns.failed', 'higher', 'turns that finally failed', failedOfTurns),
  figure(
    'turns.ok',
    'count',
    'lower',
    'ok turns whose reply has text or a tool call',
    ({ outcomes: { turns, empty } }) => counted(turns.ok - empty, finishedTurns(turns)),
  ),
  ...finishMetrics,
  figure('turns.skipped', 'count', 'higher', 'turns never sent', ({ outcomes: { turns } }) =>
    counted(turns.skipped_prior_failure + turns.skipped_run_end, total(turns)),
  ),
  figure('turns.aborted', 'count', 'higher', 'turns cut while in flight', ({ outcomes: { turns } }) =>
    counted(turns.aborted, total(turns)),
  ),
  share(
    'turns.abandonedShare',
    'higher',
    'share of turns whose user left before the reply was complete, among these and the ok and failed turns',
    ({ turns }) => [turns.abandoned, turns.abandoned + finishedTurns(turns)],
  ),
  atEnd(
    'turns.unansweredShare',
    'higher',
    'share of turns without an answer at the end of the run, among these and the ok and failed turns',
    ({ outcomes }) => outcomes.unanswered.turns.share,
    { comparison: { ...compareFailures('turns.unanswered', 'turns.finishedOrNot'), isOfTotals: true, decides: 6 } },
  ),
  share(
    'attempts.failedShare',
    'higher',
    'share of failed attempts among attempts of turns that were not cut',
    ({ attempts }) => [failedAttempts(attempts), finishedAttempts(attempts)],
    { comparison: compareFailures('attempts.failed', 'attempts.finished') },
  ),
  ...finishedClassNames.flatMap((name) => {
    const worse = name === 'ok' ? 'lower' : 'higher';
    const meaning = `attempts of turns of class ${name}`;
    const ofClass: ReadCounters<Stated> = ({ attempts }) => [attempts[name], finishedAttempts(attempts)];
    const comparison = compareFailures(`attempts.${name}`, 'attempts.finished');
    return [
      share(`outcomes.${name}.share`, worse, `share of ${meaning}, among attempts that were not cut`, ofClass, {
        ...(name !== 'ok' && { comparison }),
      }),
      number(`outcomes.${name}.count`, worse, meaning, ofClass),
    ];
  }),
  share(
    'sessions.failedShare',
    'higher',
    'share of sessions that were not created or failed, among started sessions that were not cut',
    ({ sessions: { failed, create_failed, completed } }) => [
      failed + create_failed,
      failed + create_failed + completed,
    ],
  ),
  share(
    'sessions.createFailedShare',
    'higher',
    'share of session creations that finally failed, among creations that were not cut',
    ({ sessions: { create_failed, created } }) => [create_failed, create_failed + created],
    { comparison: { ...compareFailures('sessions.createFailed', 'sessions.createEnded'), decides: 5 } },
  ),
  atEnd('sessions.startedShare', 'lower', 'share of started sessions among due sessions', ({ books }) => {
    const { started, due } = dueOf(books);
    return shareOf(started, due);
  }),
  atEnd(
    'sessions.unansweredShare',
    'higher',
    'share of session creations without an answer at the end of the run, among these and the finished creations',
    ({ outcomes }) => outcomes.unanswered.creations.share,
  ),
  figure(
    'sessions.dropped',
    'count',
    'higher',
    'sessions dropped',
    ({ books }) => counted(dueOf(books).dropped, dueOf(books).due),
    { part: countPart(({ sessions }) => [sessions.dropped, sessions.dropped + sessions.started]) },
  ),
  figure('retries.amplification', 'ratio', 'higher', 'attempts per turn sent', ({ retries }) => retries.amplification, {
    part: excessPart(({ retries, turnFlow }) => [total(retries), turnFlow.sent]),
    comparison: { source: { kind: 'ratio', of: 'attempts.sent', per: 'turns.sent' }, margin: 0.02, decides: 12 },
  }),
  figure('retries.count', 'count', 'higher', 'retries of turns', ofTurnsSent('retries'), {
    part: countPart(({ retries, turnFlow }) => [total(retries), turnFlow.sent]),
  }),
  figure('retries.ambiguous', 'count', 'higher', 'retries that may have repeated work', ofTurnsSent('ambiguous'), {
    part: countPart((counters) => [ambiguousRetries(counters), counters.turnFlow.sent]),
  }),
  figure(
    'retries.exhausted',
    'count',
    'higher',
    'turns that used up their attempts',
    ({ retries }) => counted(retries.gaveUp.exhausted, retries.turnsSent),
    { part: countPart(({ gaveUp, turnFlow }) => [gaveUp.exhausted, turnFlow.sent]) },
  ),
  figure('retries.recovered', 'count', null, 'ok turns that needed more than one attempt', ofTurnsSent('recovered')),
  rate('turnsPerSecond', 'lower', 'ok and failed turns', {
    comparison: { ...compareRate('turns.finished'), decides: 11 },
    // Under open load the schedule determines the rate.
    drift: { ...followRate, isApplicable: ({ load }) => load.model === 'closed' },
  }),
  figure(
    'goodput.share',
    'share',
    'lower',
    'share of good turns among ok and failed turns',
    ({ retries }) => retries.goodput.share,
    {
      part: sharePart(({ turns, turnFlow }) => [turnFlow.good, finishedTurns(turns)]),
      // It depends on latencies close to the objective, so the margin is half a percentage point.
      comparison: { source: { kind: 'share', of: 'turns.good', among: 'turns.finished', rare: 'rest' }, margin: 0.005 },
      // Without an objective every ok turn is good.
      drift: { ...followShare(({ turns }) => turns.good), isApplicable: ({ objectiveMs }) => objectiveMs !== null },
    },
  ),
  rate('attemptsPerSecond', null, 'attempts of turns'),
  rate('sessionsPerSecond', 'lower', 'sessions completed or failed'),
  rate('sessionsStartedPerSecond', 'lower', 'sessions started'),
  rate('goodputPerSecond', 'lower', 'good turns', { comparison: compareRate('turns.good') }),
  figure(
    'stream.sharedReads',
    'share',
    'higher',
    'share of content events that arrived in the same read as the previous event, not counting the first event of each reply',
    ({ stream }) => stream.sharedReads,
    { part: sharePart(({ streams }) => [streams.sharedReads, laterEvents(streams)]) },
  ),
  figure(
    'stream.outputTokensPerSecond',
    'perSecond',
    'lower',
    'output tokens of ok turns, by the token usage that replies reported',
    ({ stream }) => stream.outputTokensPerSecond,
    { comparison: { ...compareRate('stream.outputTokens'), isOfTotals: true } },
  ),
  ...usageMetrics,
  ...modelMetrics,
  ofReplies('missingDone', 'streams that ended without the protocol’s terminator'),
  ofReplies('retriesAfterContent', 'retries of attempts whose content had begun to arrive'),
  level('sessions', 'mean number of live sessions, weighted by time'),
  level('turns', 'mean number of turns in flight, weighted by time'),
  level('sockets', 'mean number of open sockets of sessions, weighted by time; only over WebSocket'),
  figure(
    'integrity.failed',
    'count',
    'higher',
    'replies that broke a check of the integrity guard',
    ({ integrity }) => counted(integrity.failed, integrity.replies),
    {
      part: countPart(({ integrity }) => [integrityFailures(integrity), integrity.replies]),
      // A reply in the wrong conversation is worse than a failed reply, so one in ten thousand is relevant.
      comparison: { source: { kind: 'share', of: 'integrity.failed', among: 'integrity.replies' }, margin: 0.0001 },
    },
  ),
  ...checkNames.map((name) =>
    figure(
      `integrity.${name}.failed`,
      'count',
      'higher',
      `replies that broke the check ${name}`,
      ({ integrity: { checks } }) => {
        const { failed, checked } = checks.find((check) => check.name === name) ?? { failed: 0, checked: 0 };
        return counted(failed, checked);
      },
      { part: countPart(({ integrity }) => [integrity[`${name}.failed`], integrity[`${name}.checked`]]) },
    ),
  ),
  figure(
    'validity',
    'verdict',
    'lower',
    'validity of the run: invalid, degraded, valid',
    ({ validity }) => verdicts.indexOf(validity.verdict),
    { isKnownAtEnd: true },
  ),
];

type More = Partial<Pick<Metric, 'comparison' | 'drift' | 'isKnownAtEnd' | 'part'>>;
/** Counts that a result contains under the same names as counters. */
type Stated = Pick<Counters, 'attempts' | 'sessions' | 'turns'>;

function figure(
  name: string,
  unit: Metric['unit'],
  worse: Metric['worse'],
  meaning: string,
  valueOf: (result: Published) => number | null,
  more: More = {},
): Metric {
  const read = (result: Published): Reading => {
    const value = valueOf(result);
    return value === null ? { value, reason: 'no samples' } : { value };
  };
  return { name, unit, worse, meaning, ...more, read };
}

function share(
  name: string,
  worse: Metric['worse'],
  meaning: string,
  of: ReadCounters<Stated>,
  more: More = {},
): Metric {
  const part = sharePart(of);
  return figure(name, 'share', worse, meaning, (result) => shareOf(...of(statedIn(result))), { ...more, part });
}

function number(name: string, worse: Metric['worse'], meaning: string, of: ReadCounters<Stated>): Metric {
  return figure(name, 'count', worse, meaning, (result) => counted(...of(statedIn(result))), { part: countPart(of) });
}

type RateName = Exclude<keyof Published['rates'], 'measuredMs' | 'traffic'>;

function rate(name: RateName, worse: Metric['worse'], meaning: string, more?: More): Metric {
  return figure(`rates.${name}`, 'perSecond', worse, meaning, ({ rates }) => rates[name], more);
}

function ofReplies(name: 'missingDone' | 'retriesAfterContent', meaning: string): Metric {
  return figure(`stream.${name}`, 'count', 'higher', meaning, ({ stream }) => counted(stream[name], stream.replies), {
    part: countPart(({ streams }) => [streams[name], streams.ok + streams.failed]),
  });
}

function level(of: 'sessions' | 'turns' | 'sockets', meaning: string): Metric {
  return figure(`concurrency.${of}.mean`, 'count', null, meaning, ({ concurrency, rates }) =>
    counted(concurrency[of]?.mean ?? 0, of in concurrency ? rates.measuredMs : 0),
  );
}

/** Builds a metric that is known only when a run ends: before that, and for a run that died, it has no value. */
function atEnd(
  name: string,
  worse: Metric['worse'],
  meaning: string,
  valueOf: (result: Published) => number | null,
  more: More = {},
): Metric {
  const metric = figure(name, 'share', worse, meaning, valueOf, { isKnownAtEnd: true, ...more });
  const unknown: Reading = { value: null, reason: 'only known for a run that ended' };
  return { ...metric, read: (result) => (result.books.balanced === null ? unknown : metric.read(result)) };
}

/** Returns a count; `null` if there was nothing to count. */
const counted = (value: number, among: number): number | null => (among > 0 ? value : null);

function ofTurnsSent(name: 'retries' | 'ambiguous' | 'recovered') {
  return ({ retries }: Published): number | null => counted(retries[name], retries.turnsSent);
}

const statedIn = ({ outcomes: { attempts, turns }, books }: Published): Stated => ({
  attempts,
  turns,
  get sessions() {
    return measuredLedger(books).sessions;
  },
});

function failedOfTurns({ turns }: Stated): readonly [number, number] {
  return [failedTurns(turns), finishedTurns(turns)];
}

const finishedTurns = (turns: Counters['turns']): number => turns.ok + failedTurns(turns);
const finishedAttempts = (attempts: Counters['attempts']): number =>
  finishedClassNames.reduce((sum, name) => sum + attempts[name], 0);
