import { finishes } from '../../protocol/finish.ts';
import type { Plan } from '../../plan/plan.ts';
import { failedAttempts, failedTurns, total, weightedTotal, type Counters } from '../../record/counters.ts';
import { readSparse } from '../../record/sparse-histogram.ts';
import { equalitiesOf, type SeriesName } from '../../record/series.ts';
import { seriesTable } from '../../record/series-table.ts';
import type { Snapshot } from '../../record/snapshot.ts';
import { tokenParts } from '../../record/counter-table.ts';
import { assertSums, checkEquation, type Equation, type EquationSides } from './equation.ts';
import { dueSessions, plannedInWarmUp } from './books.ts';
import { addTallies, type Figures } from '../sections/figures.ts';
import { checkNames } from '../../session/integrity/finding.ts';
import { integrityFailures } from '../sections/integrity.ts';
import { positions } from '../../record/positions.ts';
import { modelEquations } from './model-equations.ts';
import { sumOf } from '../../statistics/averages.ts';

interface BookedSums {
  counters: Counters;
  values: (...names: SeriesName[]) => number;
  planned: number;
  /** Turns planned here and counted elsewhere: for the warm-up the turns sent after its end, for the whole run none. */
  carriedOver: number;
  isOpenLoad: boolean;
}

/**
 * Checks every equation that the books of an ended run must fulfil: for the whole run, for the warm-up, and between the
 * totals and the intervals. A violation is a bug in chat-load, not in the target.
 */
export function assertBooks(plan: Pick<Plan, 'sessions' | 'load'>, snapshot: Snapshot): Equation[] {
  const whole = addTallies(snapshot.totals);
  const warmUp = addTallies(snapshot.totals.filter((tally) => tally.warmUp));
  const isOpenLoad = plan.load.model === 'open';
  const { carried_over } = warmUp.counters.turnFlow;
  const wholeLedger = {
    planned: plan.sessions ?? dueSessions(whole.counters),
    carriedOver: whole.counters.turnFlow.carried_over - carried_over,
  };
  const warmUpLedger = { planned: plannedInWarmUp(warmUp.counters), carriedOver: carried_over };
  return [
    ...ledgerEquations('whole', { ...contentOf(whole), ...wholeLedger, isOpenLoad }),
    ...ledgerEquations('warm-up', { ...contentOf(warmUp), ...warmUpLedger, isOpenLoad }),
    ...assertSums('intervals', snapshot.totals, snapshot.intervals),
  ];
}

const contentOf = ({ counters, tally }: Figures): Pick<BookedSums, 'counters' | 'values'> => ({
  counters,
  values: (...names) =>
    sumOf(names.flatMap((name) => tally.series[name] ?? []).map(({ hdr }) => readSparse(hdr).total)),
});

const ledgerEquations = (scope: 'whole' | 'warm-up', ledger: BookedSums): Equation[] =>
  Object.entries({
    ...sessionEquations(ledger),
    ...turnEquations(ledger),
    ...attemptEquations(ledger),
    ...creationEquations(ledger),
    ...sessionSumEquations(ledger),
    ...streamEquations(ledger.counters),
    ...usageEquations(ledger.counters),
    ...integrityEquations(ledger.counters),
    ...modelEquations(ledger.counters),
    ...histogramEquations(ledger),
  }).map(([name, sides]) => checkEquation(scope, name, sides));

const sessionEquations = ({ counters: { sessions }, planned }: BookedSums): EquationSides => ({
  'sessions planned = created + create_failed + create_cut + lost_creating + dropped + not_started': [
    planned,
    endedCreations(sessions) + sessions.lost_creating + sessions.dropped + sessions.not_started,
  ],
  'sessions started = created + create_failed + create_cut + lost_creating': [
    sessions.started,
    endedCreations(sessions) + sessions.lost_creating,
  ],
  'sessions created = completed + failed + cut + lost once created': [
    sessions.created,
    sessions.completed + sessions.failed + sessions.cut + sessions.lost - sessions.lost_creating,
  ],
  'sessions lost while created ≤ lost': [sessions.lost_creating, sessions.lost],
  'sessions not_started that were due ≤ not_started': [sessions.not_started_due, sessions.not_started],
});

const endedCreations = ({ created, create_failed, create_cut }: Counters['sessions']): number =>
  created + create_failed + create_cut;

const turnEquations = ({ counters, carriedOver }: BookedSums): EquationSides => {
  const { attempts, turns, turnFlow, turnsByAttempts, okByAttempts, gaveUp, replyEnds } = counters;
  const failed = failedTurns(turns);
  return {
    'turns planned = ok + failed + skipped_prior_failure + skipped_run_end + aborted + abandoned + lost': [
      turnFlow.planned - carriedOver,
      total(turns) + turnFlow.lost,
    ],
    'turns sent = ok + failed + aborted + abandoned + lost': [
      turnFlow.sent,
      turns.ok + failed + turns.aborted + turns.abandoned + turnFlow.lost,
    ],
    'turns by number of attempts = turns sent - lost': [total(turnsByAttempts), turnFlow.sent - turnFlow.lost],
    'ok turns by number of attempts = ok turns': [total(okByAttempts), turns.ok],
    'turns given up, by reason = failed turns + turns aborted in a backoff': [
      total(gaveUp),
      failed + turns.aborted - attempts.aborted,
    ],
    'ok turns by the end of their reply = ok turns': [sumOf(finishes.map((finish) => replyEnds[finish])), turns.ok],
    'empty replies by position = empty replies': [
      sumOf(positions.map((at) => replyEnds[`${at}.empty`])),
      replyEnds.empty,
    ],
    'cut replies by position = cut replies': [
      sumOf(positions.map((at) => replyEnds[`${at}.length`])),
      replyEnds.length,
    ],
    'good turns ≤ ok turns': [turnFlow.good, turns.ok],
    'turns that sent tool results ≤ turns sent': [turnFlow.toolTurns, turnFlow.sent],
  };
};

const attemptEquations = ({ counters }: BookedSums): EquationSides => {
  const { attempts, createAttempts, exchanges, turns, turnFlow, turnsByAttempts } = counters;
  const { retries, retryAfter, unreadWaits, signs, cacheMarks } = counters;
  return {
    'attempts = turns sent + retries - lost': [exchanges.attempts, turnFlow.sent + total(retries) - exchanges.lost],
    'attempts = sum over attempt classes': [exchanges.attempts, total(attempts)],
    'attempts = sum over turns of their attempts': [
      exchanges.attempts,
      weightedTotal(turnsByAttempts) + exchanges.ofLostTurns,
    ],
    'attempts lost ≤ turns lost': [exchanges.lost, turnFlow.lost],
    'attempts of lost turns ≤ turns lost + retries - attempts lost': [
      exchanges.ofLostTurns,
      turnFlow.lost + total(retries) - exchanges.lost,
    ],
    'attempts aborted ≤ turns aborted': [attempts.aborted, turns.aborted],
    'attempts abandoned = turns abandoned': [attempts.abandoned, turns.abandoned],
    'attempts stale ≤ connection_lost': [exchanges.stale, attempts.connection_lost],
    'attempts over a reopened socket ≤ attempts': [exchanges.reopened, exchanges.attempts],
    'retries = sum over the fates of Retry-After': [total(retries), total(retryAfter)],
    'refusals whose wait was not read ≤ failed attempts of turns and creations': [
      total(unreadWaits),
      failedAttempts(attempts) + failedAttempts(createAttempts),
    ],
    'ok attempts marked by a cache ≤ ok attempts': [total(cacheMarks), attempts.ok],
    'replies compared with repeated texts ≤ ok attempts': [signs.comparedTexts, attempts.ok],
    'replies to repeated texts that were faster ≤ compared ones': [signs.fasterRepeats, signs.comparedTexts],
    'attempts whose conversation was lost ≤ attempts': [signs.lostConversations, exchanges.attempts],
    'responses with ignored cookies ≤ attempts': [signs.cookiesIgnored, exchanges.attempts + exchanges.createAttempts],
    'attempts with status 409 ≤ http_other': [exchanges.conflicts, attempts.http_other],
    'attempts with status 409 after an unfinished attempt ≤ attempts with status 409': [
      exchanges.explainedConflicts,
      exchanges.conflicts,
    ],
    'retries judged by their frames ≤ retries': [exchanges.riskyRetries + exchanges.safeRetries, total(retries)],
  };
};

const creationEquations = ({ counters }: BookedSums): EquationSides => {
  const { createAttempts, exchanges, sessions, createRetries, createRetryAfter, createGaveUp } = counters;
  return {
    'create attempts = sessions started - uncreated + create retries - lost': [
      exchanges.createAttempts,
      sessions.started - sessions.uncreated + total(createRetries) - exchanges.createLost,
    ],
    'sessions uncreated ≤ created': [sessions.uncreated, sessions.created],
    'create attempts lost ≤ sessions lost while created': [exchanges.createLost, sessions.lost_creating],
    'create attempts = sum over attempt classes': [exchanges.createAttempts, total(createAttempts)],
    'ok create attempts = sessions created - uncreated': [createAttempts.ok, sessions.created - sessions.uncreated],
    'create attempts stale ≤ connection_lost': [exchanges.createStale, createAttempts.connection_lost],
    'create retries = sum over the fates of Retry-After': [total(createRetries), total(createRetryAfter)],
    'create retries judged by their frames ≤ create retries': [
      exchanges.riskyCreateRetries + exchanges.safeCreateRetries,
      total(createRetries),
    ],
    'creations given up before the end of the run = create_failed': [
      total(createGaveUp) - createGaveUp.run_end,
      sessions.create_failed,
    ],
    'create_cut = create attempts aborted + creations given up at the end of the run': [
      sessions.create_cut,
      createAttempts.aborted + createGaveUp.run_end,
    ],
  };
};

/** Equations of the sums for intervals over sessions. Turns of the warm-up's sessions that were sent after it count elsewhere. */
const sessionSumEquations = ({
  counters: { sessionSums, sessions, turns },
  carriedOver,
}: BookedSums): EquationSides => ({
  'sessions in the session sums ≤ completed + failed': [sessionSums.sessions, sessions.completed + sessions.failed],
  'turns in the session sums ≤ ok + failed': [sessionSums.turns, turns.ok + failedTurns(turns) + carriedOver],
  'good turns in the session sums ≤ turns in them': [sessionSums.good, sessionSums.turns],
});

const histogramEquations = ({ counters, values, isOpenLoad }: BookedSums): EquationSides =>
  Object.fromEntries(
    seriesTable.flatMap((series) =>
      equalitiesOf(series).map(({ equation, counted, recorded }) => [
        equation,
        [values(...recorded), counted(counters, isOpenLoad ? 'open' : 'closed')] as const,
      ]),
    ),
  );

/**
 * Equations of the integrity guard, which hold for every run. A reply that broke a check makes its attempt `check_failed`;
 * further attempts of that class broke a check of the scenario.
 */
function integrityEquations({ attempts, integrity }: Pick<Counters, 'attempts' | 'integrity'>): EquationSides {
  const failed = integrityFailures(integrity);
  const { 'turns.lost': lost, 'turns.duplicated': duplicated, 'turns.reordered': reordered } = integrity;
  return {
    'replies examined ≤ attempts that were ok or check_failed': [
      integrity.replies,
      attempts.ok + attempts.check_failed,
    ],
    'replies without a tag ≤ replies examined': [integrity.untagged, integrity.replies],
    'replies checked for answered = replies examined': [integrity['answered.checked'], integrity.replies],
    'replies that broke a check of the guard ≤ attempts that were check_failed': [failed, attempts.check_failed],
    ...checkEquations(integrity),
    'replies with a wrong list of turns ≤ turns lost, duplicated or reordered': [
      integrity['turns.failed'],
      lost + duplicated + reordered,
    ],
    'replies after an ambiguous retry ≤ replies examined': [integrity['ambiguous.checked'], integrity.replies],
    'replies after an ambiguous retry that broke a check ≤ replies that broke a check': [
      integrity['ambiguous.failed'],
      failed,
    ],
    'replies after an ambiguous retry that broke a check ≤ replies after an ambiguous retry': [
      integrity['ambiguous.failed'],
      integrity['ambiguous.checked'],
    ],
  };
}

/** Checks run in order and stop at the first failure, so each check is counted at most once per reply. */
function checkEquations(integrity: Counters['integrity']): EquationSides {
  const sides: EquationSides = {};
  let brokenBefore = 0;
  for (const name of checkNames) {
    const [checked, failed] = [integrity[`${name}.checked`], integrity[`${name}.failed`]];
    sides[`replies checked for ${name}, or broken before that ≤ replies examined`] = [
      checked + brokenBefore,
      integrity.replies,
    ];
    sides[`replies that broke ${name} ≤ replies checked for it`] = [failed, checked];
    brokenBefore += failed;
  }
  return sides;
}

/** Equations of reported tokens and of costs. */
function usageEquations(counters: Counters): EquationSides {
  const { attempts, streams, tokens, history, spending, unknownCosts, unpricedModels, substitutedPrices } = counters;
  const sumOfHistory = (name: 'inputTokens' | 'outputTokens' | 'cachedTokens' | 'cacheableTokens' | 'reported') =>
    sumOf(positions.map((position) => history[`${position}.${name}`]));
  return {
    'ok attempts ≤ replies': [attempts.ok, tokens.replies],
    'input tokens of ok turns ≤ input tokens': [streams.inputTokens, tokens['input.tokens']],
    'output tokens of ok turns ≤ output tokens': [streams.outputTokens, tokens['output.tokens']],
    'replies ≤ attempts': [tokens.replies, counters.exchanges.attempts],
    'input tokens by position = input tokens': [sumOfHistory('inputTokens'), tokens['input.tokens']],
    'output tokens by position = output tokens': [sumOfHistory('outputTokens'), tokens['output.tokens']],
    'cached tokens by position = cached tokens': [sumOfHistory('cachedTokens'), tokens['cachedInput.tokens']],
    'cacheable tokens by position = cacheable tokens': [sumOfHistory('cacheableTokens'), tokens.cacheable],
    'replies with input tokens by position = such replies': [sumOfHistory('reported'), tokens['input.reported']],
    ...Object.fromEntries(
      tokenParts.map(
        (part) => [`replies with ${part} ≤ replies`, [tokens[`${part}.reported`], tokens.replies]] as const,
      ),
    ),
    'wasted cost ≤ cost': [spending.wastedNanos, spending.costNanos],
    'attempts of unknown cost ≤ attempts': [total(unknownCosts), counters.exchanges.attempts],
    'replies of models without a price ≤ attempts of unknown cost': [total(unpricedModels), total(unknownCosts)],
    'replies priced as the requested model ≤ attempts': [total(substitutedPrices), counters.exchanges.attempts],
  };
}

/** Equations of the counters of streamed replies, tokens and history, besides their histograms. */
function streamEquations({ streams, history, attempts, turns, retries, exchanges, notes }: Counters): EquationSides {
  const sumOfHistory = (name: 'requests' | 'reported') =>
    sumOf(positions.map((position) => history[`${position}.${name}`]));
  return {
    'replies in one read ≤ content events in shared reads': [streams.oneRead, streams.sharedReads],
    'replies in one read ≤ replies with several events': [streams.oneRead, streams.severalEvents],
    'replies with several events ≤ streamed replies': [streams.severalEvents, streams.ok + streams.failed],
    'buffered replies ≤ replies in one read': [streams.buffered, streams.oneRead],
    'replies with reasoning ≤ streamed replies': [streams.reasoned, streams.ok + streams.failed],
    'streams without the protocol’s terminator ≤ attempts that were ok or check_failed': [
      streams.missingDone,
      attempts.ok + attempts.check_failed,
    ],
    'replies with a note, by rule ≤ attempts that were ok or check_failed': [
      Math.max(...Object.values(notes)),
      attempts.ok + attempts.check_failed,
    ],
    'retries after content ≤ retries': [streams.retriesAfterContent, total(retries)],
    'turns with reported token usage ≤ ok turns': [streams.reportedUsage, turns.ok],
    'requests by position ≤ attempts': [sumOfHistory('requests'), exchanges.attempts],
    'requests with reported token usage ≤ attempts': [sumOfHistory('reported'), exchanges.attempts],
  };
}
