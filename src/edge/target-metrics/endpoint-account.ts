import type { Ms } from '../../base/time.ts';
import type { MetricsPlan } from '../../plan/plan.ts';
import { maxPoints, type MetricsEndpoint } from '../../result/sections/target-metrics.ts';
import { wantedSeries, type WantedSeries } from './known-series.ts';
import { ProcessWatch } from './process-watch.ts';
import { publishSeries } from './publish-series.ts';
import type { Family, MetricsPage, Sums } from './sample-reader.ts';
import { SeriesCount } from './series-count.ts';

/** A body of metrics, and its time by the server's clock, in milliseconds since 1970, if the server stated one. */
export interface ScrapedPage extends MetricsPage {
  serverMs?: number | undefined;
}

interface Scrape {
  atMs: number;
  /** False for the scrapes before and after the load. */
  isDuring: boolean;
  /** Gauges, and increases of counters and histograms since the first scrape, by series; `undefined`: it failed. */
  values: { gauges: ReadonlyMap<string, Family['gauges']>; increases: ReadonlyMap<string, Sums> } | undefined;
}

/** A wanted series in all scrapes. */
interface FollowedSeries {
  series: WantedSeries;
  counted: SeriesCount;
  /** `undefined`: no scrape contained it. */
  kind: Family['kind'] | undefined;
  omitted: number;
}

/**
 * Keeps the scrapes of one endpoint, and publishes their lines over time and the increases of counters. All figures are
 * withheld if several processes answered, each with counters of its own.
 */
export class EndpointAccount {
  readonly wanted: readonly WantedSeries[];
  readonly #plan: MetricsPlan;
  readonly #counts = { scrapes: 0, failed: 0, unreadable: 0 };
  readonly #followed: readonly FollowedSeries[];
  readonly #watch = new ProcessWatch();
  #everyMs: Ms;
  #scrapes: Scrape[] = [];
  #failure: string | null = null;

  constructor(plan: MetricsPlan) {
    this.#plan = plan;
    this.#everyMs = plan.everyMs;
    this.wanted = wantedSeries(plan);
    this.#followed = this.wanted.map((series) => ({
      series,
      counted: new SeriesCount(series.isOfMachine),
      kind: undefined,
      omitted: 0,
    }));
  }

  /** Time until the next scrape: it doubles whenever the points become too many, and every second one is dropped. */
  get everyMs(): Ms {
    return this.#everyMs;
  }

  /** True if further scrapes may show that several processes answer: it counts something, and none have shown it. */
  get isConfirmable(): boolean {
    const counts = this.#followed.some(
      ({ kind, series }) => kind !== undefined && kind !== 'gauge' && !series.isOfMachine,
    );
    return counts && this.#watch.several === null && this.#scrapes.at(-1)?.values !== undefined;
  }

  fail(reason: string, atMs: number): void {
    this.#failure = reason;
    this.#counts.failed++;
    this.#keep({ atMs, isDuring: true, values: undefined });
  }

  /** Adds a scrape. Throws if a series has another type than before. */
  add(page: ScrapedPage, atMs: number, isDuring: boolean): void {
    for (const { series, kind: before } of this.#followed) {
      const kind = page.families.get(series.key)?.kind ?? before;
      if (before !== undefined && kind !== before)
        throw new Error(`the type of ${series.key} changed from ${before} to ${String(kind)}`);
    }
    this.#follow(page, true);
    for (const followed of this.#followed) {
      const family = page.families.get(followed.series.key);
      if (family === undefined) continue;
      followed.kind = family.kind;
      followed.omitted = Math.max(followed.omitted, family.omitted);
      this.#counts.unreadable += family.unreadable;
    }
    const gauges = new Map([...page.families].map(([key, family]) => [key, family.gauges]));
    const known = this.#followed.filter(({ counted }) => !counted.isUnknown);
    const increases = new Map(known.map(({ series, counted }) => [series.key, counted.increase]));
    this.#keep({ atMs, isDuring, values: { gauges, increases } });
  }

  /** Takes a scrape after the last one: it is not a part of the run, but may show several processes. */
  confirm(page: ScrapedPage): void {
    this.#follow(page, false);
  }

  /** True if the first and the last scrape succeeded: otherwise increases are lower bounds. */
  get #isComplete(): boolean {
    return this.#scrapes[0]?.values !== undefined && this.#scrapes.at(-1)?.values !== undefined;
  }

  /** Series of the scenario that no scrape contained. */
  get missing(): string[] {
    return this.wanted.flatMap(({ key, preset }) => (preset === null && !this.#wasFound(key) ? [key] : []));
  }

  publish(): MetricsEndpoint {
    const found = this.#followed.filter(({ kind }) => kind !== undefined).map(({ series }) => series);
    const withheld = this.#watch.several;
    return {
      url: this.#plan.url,
      presets: [...new Set(found.flatMap(({ preset }) => preset ?? []))],
      ...this.#counts,
      failure: this.#failure,
      withheld,
      requests: this.#plan.requests ?? found.find(({ isRequests }) => isRequests)?.key ?? null,
      isComplete: this.#isComplete,
      atMs: this.#scrapes.map(({ atMs }) => Math.max(0, Math.round(atMs))),
      everyMs: this.#everyMs,
      metrics: withheld === null ? this.#followed.flatMap((each) => this.#publishSeries(each)) : [],
    };
  }

  #publishSeries({ series, kind, omitted, counted }: FollowedSeries): MetricsEndpoint['metrics'] {
    if (kind === undefined) return [];
    const points = this.#scrapes.map(({ atMs, isDuring, values }) => ({
      atMs,
      isDuring,
      gauges: values?.gauges.get(series.key),
      increase: values?.increases.get(series.key),
    }));
    const published = publishSeries({ series, kind, omitted, counted, points });
    return [{ ...published, isExact: published.isExact && (kind === 'gauge' || this.#isComplete) }];
  }

  #wasFound(key: string): boolean {
    return this.#followed.some(({ series, kind }) => series.key === key && kind !== undefined);
  }

  #follow(page: ScrapedPage, isCounted: boolean): void {
    const isRestarted = this.#watch.begin(page, page.serverMs);
    const pages = this.#followed.map(({ series, counted }) => ({ counted, family: page.families.get(series.key) }));
    const isBroken = !isRestarted && pages.some(({ counted, family }) => counted.hasFallen(family));
    const signs = pages.map(({ counted, family }) => counted.add(family, { isRestarted, isBroken, isCounted }));
    this.#watch.judge(signs, isCounted);
  }

  #keep(scrape: Scrape): void {
    this.#counts.scrapes++;
    if (this.#scrapes.length >= maxPoints) {
      this.#scrapes = this.#scrapes.filter((_, index) => index % 2 === 0);
      this.#everyMs = (2 * this.#everyMs) as Ms;
    }
    this.#scrapes.push(scrape);
  }
}
