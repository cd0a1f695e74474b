import type { Ledger } from '../../src/result/books/books.ts';
import type { LatencySummary } from '../../src/result/sections/latency-summary.ts';
import type { Interval } from '../../src/result/sections/intervals.ts';
import type { PolicyFigures } from '../../src/result/policies/policies.ts';
import type { RateFigures } from '../../src/result/sections/rates.ts';
import type { Result } from '../../src/result/result.ts';
import type { RetryFigures } from '../../src/result/sections/retries.ts';
import { secondOf } from './expected/intervals.ts';
import { plainSeries, splitSeries } from './expected/published.ts';
import { flatten, type Figures } from './figures.ts';

/** Returns the figures of a result, keyed like the expected ones. */
export function actualFigures(result: Result): Figures {
  const { books, retries, rates, positions, concurrency, spending, gates, intervals } = result;
  const published = publishedOf({ ...result, retries, rates });
  return flatten({
    books: { ...ledgerOf(books), warmUp: ledgerOf(books.warmUp) },
    ...published,
    positions: Object.fromEntries(positions.map((each) => [each.position, splitOf(each)])),
    concurrency: pick(concurrency, ['sessions', 'turns']),
    spending,
    policies: Object.fromEntries(
      retries.policies.map((policy) => [policy.name, publishedOf({ ...policy, retries: policy })]),
    ),
    gates: Object.fromEntries(gates.map(({ metric, actual }) => [metric, actual])),
    intervals: Object.fromEntries(intervals.map((each) => [secondOf(each.startMs, each.warmUp), contentOf(each)])),
  });
}

/** The codes of the reasons against a run. */
export function actualReasons({ validity }: Result): string[] {
  return validity.reasons.map(({ code }) => code);
}

const pick = <Part extends object, Name extends keyof Part>(part: Part, names: readonly Name[]): Pick<Part, Name> =>
  Object.fromEntries(names.map((name) => [name, part[name]])) as Pick<Part, Name>;

const ledgerOf = (ledger: Ledger): object => pick(ledger, ['sessions', 'turns', 'attempts', 'createAttempts']);

type Part = Pick<PolicyFigures, 'outcomes' | 'latency'> & { retries: RetryFigures; rates: RateFigures };

const publishedOf = ({ outcomes, latency, retries, rates }: Part): object => ({
  outcomes: pick(outcomes, ['attempts', 'createAttempts', 'turns', 'stale', 'createStale', 'unanswered']),
  latency: Object.fromEntries([
    ...splitSeries.map((name) => [name, splitOf(latency[name])]),
    ...plainSeries.map((name) => [name, summaryOf(latency[name])]),
  ]),
  retries: retriesOf(retries),
  rates: pick(rates, rateNames),
});

const rateNames = [
  'measuredMs',
  'turnsPerSecond',
  'attemptsPerSecond',
  'sessionsPerSecond',
  'sessionsStartedPerSecond',
  'goodputPerSecond',
] as const;
const countedNames = ['retries', 'byCause', 'ambiguous', 'retryAfter', 'gaveUp'] as const;
const turnNames = [
  'turnsSent',
  'attempts',
  'amplification',
  'attemptsPerTurn',
  'recovered',
  'recoveredAt',
  'goodput',
] as const;

const retriesOf = (retries: RetryFigures): object => ({
  ...pick(retries, countedNames),
  ...pick(retries, turnNames),
  creations: pick(retries.creations, countedNames),
  backoffPlannedUs: us(retries.backoffPlannedMs),
  timeLostUs: us(retries.backoffActualMs),
});

const us = (lengthMs: number | null): number | null => (lengthMs === null ? null : Math.round(lengthMs * 1000));

const summaryOf = ({ count, sumMs, minMs, maxMs }: LatencySummary): object => ({
  count,
  sumUs: us(sumMs),
  minUs: us(minMs),
  maxUs: us(maxMs),
});

const splitOf = (split: LatencySummary & { ok: LatencySummary; failed: LatencySummary }): object => ({
  ...summaryOf(split),
  ok: summaryOf(split.ok),
  failed: summaryOf(split.failed),
});

const contentOf = ({ turns, attempts, createAttempts, sessions }: Interval): object => ({
  turns: pick(turns, ['sent', 'ok', 'failed', 'good']),
  attempts: attempts.total,
  retries: attempts.retries,
  createAttempts: createAttempts.total,
  sessions,
});
