import { type Snapshot, mergeSnapshots } from '../../record/snapshot.ts';
import { nothingOf } from '../../result/journal/gather-journal.ts';
import type { GeneratorAccount, JournalHeader } from '../../result/journal/journal.ts';
import { buildResult, type Result } from '../../result/result.ts';
import type { Stop } from '../../result/sections/run-facts.ts';

type Account = Omit<GeneratorAccount, 'samples'>;

/** The sums of a run under way, and the result that they make: without intervals, and of a run that has not ended. */
export class LiveTotals {
  readonly #header: JournalHeader;
  #totals: Snapshot;
  #fresh: Snapshot[] = [];
  #account: Account = { generator: null, traffic: null, transport: null };

  constructor(header: JournalHeader) {
    this.#header = header;
    this.#totals = nothingOf(header);
  }

  add(piece: Snapshot, account: Account): void {
    this.#fresh.push(sumsOf(piece));
    this.#account = account;
    if (this.#fresh.length === mostFresh) this.#merge();
  }

  /** What is known of the run beside its figures, up to an instant. */
  facts(stop: Stop | null, elapsedMs: number): Pick<Result, 'run' | 'scenario'> {
    const { run, plan } = this.#header;
    const endedAt = new Date(Date.parse(run.startedAt) + elapsedMs).toISOString();
    return {
      run: { ...run, endedAt, status: 'recovered', stop, durationMs: elapsedMs },
      scenario: { name: plan.name, hash: plan.hash, seed: plan.seed, plan },
    };
  }

  result(stop: Stop | null, elapsedMs: number): Result {
    this.#merge();
    const { plan, environment, calibration, warnings } = this.#header;
    return buildResult({
      plan,
      snapshot: { ...this.#totals, elapsedMs },
      run: this.facts(stop, elapsedMs).run,
      environment,
      calibration,
      ...this.#account,
      warnings,
      isWhole: false,
      isUnderWay: true,
    });
  }

  #merge(): void {
    this.#totals = mergeSnapshots(this.#totals, ...this.#fresh.splice(0));
  }
}

/** Summing up takes a while: not for every piece. */
const mostFresh = 60;

/**
 * The sums of a piece, which are its interval once more: a journal has them only there. Its levels are those of the
 * whole time so far: there are no intervals that they would belong to.
 */
const sumsOf = (piece: Snapshot): Snapshot => ({
  ...piece,
  totals: piece.intervals.map(({ warmUp, policy, counters, series }) => ({ warmUp, policy, counters, series })),
  intervals: [],
  levels: piece.levels.map((levels) => ({ ...levels, startMs: 0 })),
});
