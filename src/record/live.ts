import { failedAttempts, sumCounters, total } from './counters.ts';
import { DenseHistogram } from './dense-histogram.ts';
import { shortestIntervalMs, startOf } from './interval-width.ts';
import type { Partition } from './partition.ts';
import type { Gauges } from './gauges.ts';
import type { LiveTally } from './tally.ts';
import { quantileOf } from './histogram.ts';
import type { TurnClass } from '../protocol/outcome.ts';

/** Figures for the display of a run in progress, including the warm-up. */
export interface Live {
  elapsedMs: number;
  sessionsStarted: number;
  sessionsLive: number;
  /** Sessions that ended, with any outcome. */
  sessionsDone: number;
  /** Sessions whose creation finally failed. */
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
  /** Total live time of all sessions. */
  sessionTimeMs: number;
  /** Cost of the replies so far, in millionths. */
  costMillionths: number;
  /** p95 of the turns that ended in each of the last observed seconds, at most sixty, the latest last. */
  p95Ms: readonly (number | null)[];
  /** Last whole second: number of turns that ended, and their latency; `null` without turns. */
  lastSecond: { turns: number; p50Ms: number | null; p95Ms: number | null };
}

const maxSeconds = 60;

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
      costMillionths: counters.spending.costMillionths,
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

/** Latency of the turns of the last seconds. */
export class LastSeconds {
  readonly #scratch = new DenseHistogram();
  #latest: Live['lastSecond'] = { turns: 0, p50Ms: null, p95Ms: null };
  #p95Ms: readonly (number | null)[] = [];

  /** Adds the tallies of a second. */
  add(tallies: readonly LiveTally[]): void {
    this.#scratch.clear();
    for (const tally of tallies)
      for (const series of [...tally.okTurns, ...tally.failedTurns]) series.addTo(this.#scratch);
    const filled = this.#scratch.filled();
    const turns = filled.total;
    const at = (quantile: number) => (turns === 0 ? null : quantileOf(filled, quantile));
    this.#latest = { turns, p50Ms: at(0.5), p95Ms: at(0.95) };
    this.#p95Ms = [...this.#p95Ms.slice(1 - maxSeconds), this.#latest.p95Ms];
  }

  get figures(): Pick<Live, 'p95Ms' | 'lastSecond'> {
    return { p95Ms: this.#p95Ms, lastSecond: this.#latest };
  }
}
