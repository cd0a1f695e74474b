import type { Ms } from '../../base/time.ts';
import { mean } from '../../statistics/averages.ts';
import type { MetricsPlan } from '../../plan/plan.ts';
import { maxPoints, type MetricsEndpoint, type TargetMetric } from '../../result/sections/target-metrics.ts';
import { wantedSeries, type WantedSeries } from './known-series.ts';
import { maxLabelSets, type Family } from './sample-reader.ts';

interface Scrape {
  atMs: number;
  /** False for the scrapes before and after the load. */
  isDuring: boolean;
  /** `undefined`: it failed. */
  families: ReadonlyMap<string, Family> | undefined;
}

/** Keeps the scrapes of one endpoint, and publishes their lines over time and the increases of counters. */
export class EndpointAccount {
  readonly wanted: readonly WantedSeries[];
  readonly #plan: MetricsPlan;
  readonly #counts = { scrapes: 0, failed: 0 };
  #everyMs: Ms;
  #scrapes: Scrape[] = [];
  #failure: string | null = null;

  constructor(plan: MetricsPlan) {
    this.#plan = plan;
    this.#everyMs = plan.everyMs;
    this.wanted = wantedSeries(plan);
  }

  /** Time until the next scrape: it doubles whenever the points become too many, and every second one is dropped. */
  get everyMs(): Ms {
    return this.#everyMs;
  }

  fail(reason: string, atMs: number): void {
    this.#failure = reason;
    this.#counts.failed++;
    this.#keep({ atMs, isDuring: true, families: undefined });
  }

  /** Adds a scrape. Throws if a series has another type than before. */
  add(families: ReadonlyMap<string, Family>, atMs: number, isDuring: boolean): void {
    const latest = this.#scrapes.findLast((scrape) => scrape.families !== undefined)?.families;
    for (const [key, { kind }] of families) {
      const before = latest?.get(key)?.kind ?? kind;
      if (kind !== before) throw new Error(`the type of ${key} changed from ${before} to ${kind}`);
    }
    this.#keep({ atMs, isDuring, families });
  }

  /** Series of the scenario that no scrape contained. */
  get missing(): string[] {
    return this.wanted.flatMap(({ key, preset }) => (preset === null && !this.#wasFound(key) ? [key] : []));
  }

  publish(): MetricsEndpoint {
    const [first, last] = [this.#scrapes[0], this.#scrapes.at(-1)];
    const found = this.wanted.filter(({ key }) => this.#wasFound(key));
    return {
      url: this.#plan.url,
      presets: [...new Set(found.flatMap(({ preset }) => preset ?? []))],
      ...this.#counts,
      failure: this.#failure,
      requests: this.#plan.requests ?? found.find(({ isRequests }) => isRequests)?.key ?? null,
      isComplete: first?.families !== undefined && last?.families !== undefined,
      atMs: this.#scrapes.map(({ atMs }) => Math.max(0, Math.round(atMs))),
      everyMs: this.#everyMs,
      metrics: found.map((series) => publishSeries(series, this.#scrapes)),
    };
  }

  #wasFound(key: string): boolean {
    return this.#scrapes.some(({ families }) => families?.has(key) === true);
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

function publishSeries(series: WantedSeries, scrapes: readonly Scrape[]): TargetMetric {
  const families = scrapes.map((scrape) => scrape.families?.get(series.key));
  const { kind = 'gauge' } = families.find((family) => family !== undefined) ?? {};
  const omitted = Math.max(...families.map((family) => family?.omitted ?? 0));
  const about = { name: series.key, title: series.title, kind, unit: unitOf(series, kind) };
  if (kind !== 'gauge') return { ...about, omitted, ...publishCounter(series, kind, scrapes) };
  const names = [...new Set(families.flatMap((family) => [...(family?.gauges.keys() ?? [])]))];
  return {
    ...about,
    before: null,
    after: null,
    increase: null,
    resets: 0,
    omitted: omitted + Math.max(0, names.length - maxLabelSets),
    lines: names.slice(0, maxLabelSets).map((name) => {
      const values = families.map((family) => finite(inUnit(family?.gauges.get(name), series, kind)));
      const during = values.filter((value, index) => value !== null && scrapes[index]?.isDuring === true);
      return lineOf(name, values, { values: during });
    }),
  };
}

/** Sums of a counter or a histogram: at one scrape, or their increase. */
type Sums = Pick<Family, 'sum' | 'count' | 'idle' | 'buckets'>;
const nothing: Sums = { sum: 0, count: 0, idle: 0, buckets: new Map() };

type Counted = Pick<TargetMetric, 'before' | 'after' | 'increase' | 'resets' | 'lines'>;

function publishCounter(series: WantedSeries, kind: 'counter' | 'histogram', scrapes: readonly Scrape[]): Counted {
  let first: Sums | undefined;
  let previous: (Sums & { atMs: number }) | undefined;
  let resets = 0;
  let total = { ...nothing, ms: 0 };
  const figures = scrapes.map(({ atMs, families }) => {
    // A counter with labels appears with its first request: it was zero before.
    const now = families?.get(series.key) ?? (families !== undefined && previous === undefined ? nothing : undefined);
    if (now === undefined) return {};
    const since = previous;
    first ??= now;
    previous = { ...now, atMs };
    if (since === undefined) return {};
    const ms = atMs - since.atMs;
    const isReset = now.sum < since.sum || now.count < since.count;
    if (isReset) resets++;
    const increase = combine(now, isReset ? nothing : since, -1);
    total = { ...combine(total, increase, 1), ms: total.ms + ms };
    return figuresOf(increase, ms, series, kind);
  });
  const whole = figuresOf(total, total.ms, series, kind);
  const count = (sums: Sums | undefined): number | null =>
    series.isCpu ? null : finite(kind === 'histogram' ? sums?.count : sums?.sum);
  return {
    before: count(first),
    after: count(previous),
    increase: total.ms > 0 ? count(total) : null,
    resets,
    lines: Object.entries(whole).map(([name, value]) => {
      const values = figures.map((each) => finite(each[name]));
      return lineOf(name, values, { mean: finite(value), values });
    }),
  };
}

/** Adds or subtracts sums. */
const combine = (one: Sums, other: Sums, sign: 1 | -1): Sums => ({
  sum: one.sum + sign * other.sum,
  count: one.count + sign * other.count,
  idle: one.idle + sign * other.idle,
  buckets: new Map(
    [...new Set([...one.buckets.keys(), ...other.buckets.keys()])].map((bound) => [
      bound,
      (one.buckets.get(bound) ?? 0) + sign * (other.buckets.get(bound) ?? 0),
    ]),
  ),
});

/** Returns the figures of a period by the name of their line. */
function figuresOf(
  { sum, count, idle, buckets }: Sums,
  ms: number,
  series: WantedSeries,
  kind: Family['kind'],
): Readonly<Record<string, number | undefined>> {
  if (series.isCpu) return { busy: Math.min(1, Math.max(0, 1 - idle / sum)) };
  if (kind === 'counter') return { rate: sum / (ms / 1000) };
  if (buckets.size === 0) return { mean: inUnit(sum / count, series, kind) };
  const [p50, p95] = [0.5, 0.95].map((share) => inUnit(quantile(buckets, share), series, kind));
  return { p50, p95 };
}

/** Builds a line; six digits are more than a chart shows, and shorten the result. */
function lineOf(
  name: string,
  values: readonly (number | null)[],
  of: { values: readonly (number | null)[]; mean?: number | null },
): TargetMetric['lines'][number] {
  const known = of.values.flatMap((value) => value ?? []);
  const some = known.length > 0;
  return {
    name,
    values: values.map((value) => value && Number(value.toPrecision(6))),
    mean: of.mean === undefined ? (some ? mean(known) : null) : of.mean,
    max: some ? Math.max(...known) : null,
  };
}

/** Estimates a quantile of cumulative buckets, linearly within a bucket, as `histogram_quantile` of Prometheus does. */
function quantile(buckets: ReadonlyMap<number, number>, share: number): number | undefined {
  const sorted = [...buckets].toSorted(([a], [b]) => a - b);
  const total = sorted.at(-1)?.[1] ?? 0;
  if (!(total > 0)) return undefined;
  const rank = share * total;
  const at = sorted.findIndex(([, count]) => count >= rank);
  const [bound, count] = sorted[at] ?? [Infinity, total];
  const [low, below] = sorted[at - 1] ?? [0, 0];
  if (!Number.isFinite(bound)) return at <= 0 ? undefined : low;
  return low + (bound - low) * ((rank - below) / (count - below));
}

/** Documents have no other numbers. */
const finite = (value: number | undefined): number | null =>
  value !== undefined && Number.isFinite(value) ? value : null;

function unitOf({ name, isShare, isCpu }: WantedSeries, kind: Family['kind']): TargetMetric['unit'] {
  if (isShare || isCpu) return 'share';
  if (kind === 'counter') return 'perSecond';
  // LiteLLM's latencies are in seconds, without the suffix.
  if (/_seconds$|_latency_metric$/.test(name)) return 'ms';
  return name.endsWith('_bytes') ? 'bytes' : 'count';
}

const inUnit = (value: number | undefined, series: WantedSeries, kind: Family['kind']): number | undefined =>
  value && (unitOf(series, kind) === 'ms' ? value * 1000 : value);
