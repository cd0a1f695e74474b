import type { MetricsPage } from './sample-reader.ts';
import type { Signs } from './series-count.ts';

/** Difference of start times that is that of clocks, in seconds. */
const clockSeconds = 1.5;

/** Time by which a process may have started before the previous scrape and still be a new one, in milliseconds. */
const lateMs = 2000;

/** Watches whether the scrapes of an endpoint were answered by one process, by a restarted one, or by several in turn. */
export class ProcessWatch {
  /** Observation that shows several processes; `null`: none. */
  several: string | null = null;
  #startSeconds: number | undefined;
  #serverMs: number | undefined;

  /**
   * Takes the start of the process that answered. Returns whether it was restarted since the previous scrape. `serverMs`:
   * time of the scrape by the server's clock, if it stated one.
   */
  begin({ startSeconds: start }: Pick<MetricsPage, 'startSeconds'>, serverMs: number | undefined): boolean {
    const [before, scrapedMs] = [this.#startSeconds, this.#serverMs];
    this.#startSeconds = start ?? before;
    this.#serverMs = serverMs;
    if (start === undefined || before === undefined || Math.abs(start - before) <= clockSeconds) return false;
    if (start < before) this.several ??= 'the start time of the process went back';
    else if (scrapedMs !== undefined && start * 1000 < scrapedMs - lateMs)
      this.several ??= 'a process answered that had started before an earlier scrape by another one';
    return true;
  }

  /** Takes the signs of all series in one scrape. `isDuring`: false for the scrapes after the last one, within an instant of it. */
  judge(signs: readonly Readonly<Signs>[], isDuring: boolean): void {
    const has = (sign: keyof Signs): boolean => signs.some((each) => each[sign]);
    if (!isDuring && has('fell')) this.several ??= 'counters decreased right after the load without a new start time';
    if (has('fellAgain')) this.several ??= 'counters decreased repeatedly without a new start time';
    if (has('returned') && !has('grew'))
      this.several ??= 'counters alternated between lower and higher values without a new start time';
  }
}
