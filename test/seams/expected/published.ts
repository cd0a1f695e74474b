import { attemptClassNames, finishedClassNames, turnClassNames } from '../../../src/protocol/outcome.ts';
import { shareOf, type Tree } from '../figures.ts';
import type { Tally } from './tally.ts';

export const splitSeries = ['attempt', 'turn', 'effective'] as const;
export const plainSeries = [
  'firstByte',
  'connect',
  'lateness',
  'sessionCreate',
  'sessionLateness',
  'backoff',
  'backoffActual',
] as const;

/** Returns the published figures of a part of a run, of the whole run or of one retry policy. */
export function publishedOf(tally: Tally, measuredMs: number): Tree {
  return {
    outcomes: outcomesOf(tally),
    latency: Object.fromEntries([
      ...splitSeries.map((name) => [name, splitOf(tally, name)] as const),
      ...plainSeries.map((name) => [name, summaryOf(tally.times(name))] as const),
    ]),
    retries: retriesOf(tally, measuredMs),
    rates: ratesOf(tally, measuredMs),
  };
}

/** Turns by their position in the session. */
export function positionsOf(tally: Tally): Tree {
  return Object.fromEntries(
    ['1', '2', '3-4', '5-8', '9-16', '17+'].map((position) => [position, splitOf(tally, `position.${position}`)]),
  );
}

const outcomesOf = (tally: Tally): Tree => ({
  attempts: tally.each('attempt.', attemptClassNames),
  createAttempts: tally.each('create.attempt.', attemptClassNames),
  turns: tally.each('turnClass.', turnClassNames),
  stale: tally.count('stale'),
  createStale: tally.count('create.stale'),
  unanswered: unansweredOf(tally),
});

/** Cut although they had waited longer than 99 % of the others took, or had failed before. */
export function unansweredOf(tally: Tally): Record<'turns' | 'creations', Unanswered> {
  const turns = [...tally.times('turn.ok'), ...tally.times('turn.failed')];
  const creations = tally.count('session.created') + tally.count('session.create_failed');
  return {
    turns: unanswered(tally, '', { took: turns, finished: turns.length }),
    creations: unanswered(tally, 'create.', { took: tally.times('sessionCreate'), finished: creations }),
  };
}

type Unanswered = Record<'count' | 'share' | 'maxWaitMs', number | null>;

function unanswered(
  tally: Tally,
  of: '' | 'create.',
  { took, finished }: { took: readonly number[]; finished: number },
): Unanswered {
  const waits = tally.times(`${of}cut`);
  const sorted = took.toSorted((a, b) => a - b);
  const max = sorted[Math.ceil(0.99 * sorted.length - 1e-9) - 1] ?? -1;
  // Not distinguishable within a thousandth: histograms have three digits.
  const count = tally.count(`${of}cutAfterFailure`) + waits.filter((wait) => wait > max * 1.0005).length;
  return {
    count,
    share: shareOf(count, finished + count),
    maxWaitMs: waits.length > 0 ? Math.round(Math.max(...waits) * 1000) / 1000 : null,
  };
}

const splitOf = (tally: Tally, name: string): Tree => {
  const [ok, failed] = [tally.times(`${name}.ok`), tally.times(`${name}.failed`)];
  return { ...summaryOf([...ok, ...failed]), ok: summaryOf(ok), failed: summaryOf(failed) };
};

/** Lengths of time are recorded in whole microseconds. */
function summaryOf(lengths: readonly number[]): Tree {
  const us = lengths.map((length) => Math.round(length * 1000));
  const some = us.length > 0;
  return {
    count: us.length,
    sumUs: sumOf(us),
    minUs: some ? Math.min(...us) : null,
    maxUs: some ? Math.max(...us) : null,
  };
}

const surelyOrPossiblyRepeated = [
  ...['internal_error', 'server_error', 'provider_rate_limited', 'provider_error', 'connection_lost', 'timed_out'],
  ...['check_failed', 'contract_broken', 'malformed', 'http_other'],
];

function retriesOf(tally: Tally, measuredMs: number): Tree {
  const sent = tally.count('turn.sent');
  const [ok, failed, good] = [tally.count('turn.ok'), tally.count('turn.failed'), tally.count('turn.good')];
  const us = (what: string): number => sumOf(tally.times(what).map((length) => Math.round(length * 1000)));
  return {
    ...countedRetries(tally, ''),
    creations: countedRetries(tally, 'create.'),
    attemptsPerTurn: tally.under('turnsByAttempts.'),
    recoveredAt: tally.under('recoveredAt.'),
    turnsSent: sent,
    attempts: tally.sum('attempt.'),
    // Every turn sent was attempted once, and each retry is one more.
    amplification: shareOf(sent + tally.sum('retry.'), sent),
    recovered: tally.sum('recoveredAt.'),
    backoffPlannedUs: us('backoff'),
    timeLostUs: us('backoffActual'),
    goodput: { turns: good, share: shareOf(good, ok + failed), perSecond: perSecond(good, measuredMs) },
  };
}

function countedRetries(tally: Tally, of: '' | 'create.'): Tree {
  const gaveUp = (why: string): number => tally.count(`${of}gaveUp.${why}`);
  const tooLong = gaveUp('retry_after_too_long');
  return {
    retries: tally.sum(`${of}retry.`),
    byCause: tally.each(`${of}retry.`, finishedClassNames),
    retryAfter: { ...tally.each(`${of}retryAfter.`, ['obeyed', 'violated', 'absent', 'invalid']), tooLong },
    gaveUp: {
      ...tally.each(`${of}gaveUp.`, ['final', 'exhausted', 'budget']),
      tooLong,
      runEnd: gaveUp('run_end'),
    },
    ambiguous: sumOf(Object.values(tally.each(`${of}retry.`, surelyOrPossiblyRepeated))),
  };
}

const ratesOf = (tally: Tally, measuredMs: number): Tree => ({
  measuredMs,
  turnsPerSecond: perSecond(tally.count('turn.ok') + tally.count('turn.failed'), measuredMs),
  attemptsPerSecond: perSecond(tally.sum('attempt.'), measuredMs),
  sessionsPerSecond: perSecond(tally.count('session.completed') + tally.count('session.failed'), measuredMs),
  sessionsStartedPerSecond: perSecond(tally.count('session.started'), measuredMs),
  goodputPerSecond: perSecond(tally.count('turn.good'), measuredMs),
});

const perSecond = (counted: number, measuredMs: number): number | null =>
  measuredMs > 0 ? counted / (measuredMs / 1000) : null;
const sumOf = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
