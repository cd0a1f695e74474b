import { failedAttempts, sumCounters, total } from './counters.ts';
import { shortestIntervalMs, startOf } from './interval-width.ts';
import type { Partition } from './partition.ts';
import type { Gauges } from './gauges.ts';
import { publishedSeries, recordedNames } from './series.ts';
import { sumOfSeries, type LiveSeries } from './stored-series.ts';
import type { LiveTally } from './tally.ts';
import { quantileOf } from './histogram.ts';
import type { TurnClass } from '../protocol/outcome.ts';

export interface Live {
  elapsedMs: number;
  sessionsStarted: number;
  sessionsLive: number;
  sessionsDone: number;
  sessionsNotCreated: number;
  /** Failed attempts to create a session, without aborted ones. */
  failedCreations: number;
  turnsInFlight: number;
  turns: Readonly<Record<TurnClass, number>>;
  attempts: number;
  retries: number;
  sessionsDropped: number;
  /** Start of the latest session, since the start of the run. */
  lastStartMs: number;
  sessionTimeMs: number;
  costNanos: number;
  /** p95 of the turns that ended in each of the last observed seconds, at most sixty, the latest last. */
  p95Ms: readonly (number | null)[];
  /** The last whole second: turns that ended in it and their latency, and series of streamed replies; `null` without values. */
  lastSecond: {
    turns: number;
    p50Ms: number | null;
    p95Ms: number | null;
    firstToken: { p50Ms: number | null; p95Ms: number | null };
    gap: { p50Ms: number | null; p95Ms: number | null };
    tokenTime: { p50Ms: number | null; p95Ms: number | null };
  };
  outputTokens: number;
}

type LivePercentiles = Live['lastSecond']['gap'];

const maxSeconds = 60;

const noPercentiles: LivePercentiles = { p50Ms: null, p95Ms: null };

const streamedNames = (['firstToken', 'gap', 'tokenTime'] as const).map((wanted) =>
  publishedSeries.filter(({ name }) => name === wanted).flatMap((series) => recordedNames(series)),
);

/** Reads live figures from the partitions. Percentiles are computed once per second. */
export class LiveReader {
  readonly #seconds = new LastSeconds();
  #readFrom = -1;

  read(elapsedMs: number, partitions: readonly Partition[], levels: Gauges): Live {
    const counters = sumCounters(
      partitions.flatMap((partition) => [partition.total.counters, ...partition.open.map((tally) => tally.counters)]),
    );
    const { sessions, createAttempts } = counters;
    this.#readLastSecond(elapsedMs, partitions);
    return {
      elapsedMs,
      sessionsStarted: sessions.started,
      sessionsLive: levels.liveSessions,
      sessionsDone: sessions.started - levels.liveSessions,
      sessionsNotCreated: sessions.create_failed,
      failedCreations: failedAttempts(createAttempts),
      turnsInFlight: levels.turnsInFlight,
      turns: counters.turns,
      attempts: counters.exchanges.attempts,
      retries: total(counters.retries),
      sessionsDropped: sessions.dropped,
      lastStartMs: levels.lastStartMs,
      sessionTimeMs: levels.sessionTimeMs(elapsedMs),
      costNanos: counters.spending.costNanos,
      outputTokens: counters.streams.outputTokens,
      ...this.#seconds.figures,
    };
  }

  #readLastSecond(elapsedMs: number, partitions: readonly Partition[]): void {
    const from = startOf(elapsedMs, shortestIntervalMs) - shortestIntervalMs;
    if (from === this.#readFrom) return;
    this.#readFrom = from;
    const tallies = partitions.flatMap((partition) => partition.open.filter((each) => each.from === from));
    if (from >= 0) this.#seconds.add(tallies);
  }
}

export class LastSeconds {
  #latest: Live['lastSecond'] = {
    turns: 0,
    ...noPercentiles,
    firstToken: noPercentiles,
    gap: noPercentiles,
    tokenTime: noPercentiles,
  };
  #p95Ms: readonly (number | null)[] = [];

  add(tallies: readonly LiveTally[]): void {
    const { total: turns, ...percentiles } = percentilesOf(
      tallies.flatMap(({ okTurns, failedTurns }) => [...okTurns, ...failedTurns]),
    );
    const [firstToken, gap, tokenTime] = streamedNames.map((names) => {
      const { p50Ms, p95Ms } = percentilesOf(tallies.flatMap(({ series }) => names.map((name) => series[name])));
      return { p50Ms, p95Ms };
    });
    this.#latest = {
      turns,
      ...percentiles,
      firstToken: firstToken ?? noPercentiles,
      gap: gap ?? noPercentiles,
      tokenTime: tokenTime ?? noPercentiles,
    };
    this.#p95Ms = [...this.#p95Ms.slice(1 - maxSeconds), this.#latest.p95Ms];
  }

  get figures(): Pick<Live, 'p95Ms' | 'lastSecond'> {
    return { p95Ms: this.#p95Ms, lastSecond: this.#latest };
  }
}

function percentilesOf(parts: readonly LiveSeries[]): LivePercentiles & { total: number } {
  const sum = sumOfSeries(parts);
  const { total } = sum;
  return total === 0
    ? { total, ...noPercentiles }
    : { total, p50Ms: quantileOf(sum, 0.5), p95Ms: quantileOf(sum, 0.95) };
}
