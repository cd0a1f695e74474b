import type { MetricsPlan } from '../../plan/plan.ts';
import { maxPoints, type MetricsEndpoint, type TargetMetric } from '../../result/sections/target-metrics.ts';
import { wantedSeries, type WantedSeries } from './known-series.ts';
import { maxLabelSets, type Family } from './sample-reader.ts';

/** Accumulates the scrapes of one endpoint: lines over time, and the increases of counters. */
export class EndpointAccount {
  readonly wanted: readonly WantedSeries[];
  readonly #plan: MetricsPlan;
  readonly #atMs: number[] = [];
  readonly #series = new Map<string, SeriesAccount>();
  #scrapes = 0;
  #hasFirst = false;
  #isComplete = false;
  #failed = 0;
  #failure: string | null = null;
  #previousMs: number | undefined;
  /** Scrapes per point: doubled whenever the points become too many. */
  #stride = 1;
  #pending = 0;

  constructor(plan: MetricsPlan) {
    this.#plan = plan;
    this.wanted = wantedSeries(plan);
  }

  fail(reason: string, atMs: number): void {
    this.#isComplete = false;
    this.#failed++;
    this.#failure = reason;
    this.#scrapes++;
    this.#point(atMs);
  }

  /** Adds a scrape; those before and after the load do not count as during it. Throws if a series has another type than before. */
  add(families: ReadonlyMap<string, Family>, atMs: number, isDuring: boolean): void {
    for (const series of this.wanted) {
      const kind = families.get(series.key)?.kind;
      const before = this.#series.get(series.key)?.kind;
      if (kind !== undefined && before !== undefined && kind !== before)
        throw new Error(`the type of ${series.key} changed from ${before} to ${kind}`);
    }
    const sinceMs = this.#previousMs === undefined ? undefined : atMs - this.#previousMs;
    for (const series of this.wanted) {
      const family = families.get(series.key);
      if (family === undefined) continue;
      let account = this.#series.get(series.key);
      if (account === undefined) {
        account = new SeriesAccount(series, family.kind, this.#atMs.length);
        // A counter with labels appears with its first request: it was zero before.
        if (sinceMs !== undefined && family.kind !== 'gauge') account.startAtZero();
        this.#series.set(series.key, account);
      }
      account.add(family, sinceMs, isDuring);
    }
    this.#previousMs = atMs;
    this.#isComplete = this.#scrapes === 0 || this.#hasFirst;
    this.#hasFirst = this.#isComplete;
    this.#scrapes++;
    this.#point(atMs);
  }

  publish(): MetricsEndpoint {
    const found = this.wanted.filter(({ key }) => this.#series.has(key));
    const requests = found.find(({ isRequests }) => isRequests) ?? this.wanted.find(isNamedCounter);
    return {
      url: this.#plan.url,
      presets: [...new Set(found.flatMap(({ preset }) => preset ?? []))],
      scrapes: this.#scrapes,
      failed: this.#failed,
      failure: this.#failure,
      requests: requests?.key ?? null,
      isComplete: this.#isComplete,
      atMs: this.#atMs.slice(0, maxPoints),
      everyMs: this.#plan.everyMs * this.#stride,
      metrics: [...this.#series.values()].map((account) => account.publish(maxPoints)),
    };
  }

  #point(atMs: number): void {
    if (++this.#pending < this.#stride) return;
    this.#pending = 0;
    this.#atMs.push(Math.max(0, Math.round(atMs)));
    for (const account of this.#series.values()) account.point();
    if (this.#atMs.length < maxPoints) return;
    this.#stride *= 2;
    this.#atMs.splice(0, Infinity, ...this.#atMs.filter((_, index) => index % 2 === 1));
    for (const account of this.#series.values()) account.thin();
  }
}

/** A counter of requests that the scenario names, and no scrape contained. */
const isNamedCounter = ({ isRequests, preset }: WantedSeries): boolean => isRequests && preset === null;

/** Mean of the scrapes of a point, all points, and the figures of the whole run. */
class Line {
  readonly values: (number | null)[];
  max: number | null = null;
  #sum = 0;
  #count = 0;
  #all = { sum: 0, count: 0 };

  constructor(points: number) {
    this.values = Array.from({ length: points }, () => null);
  }

  add(value: number | null, isDuring = true): void {
    if (value === null || !Number.isFinite(value)) return;
    this.#sum += value;
    this.#count++;
    if (!isDuring) return;
    this.#all.sum += value;
    this.#all.count++;
    this.max = Math.max(this.max ?? value, value);
  }

  point(): void {
    // Six digits are more than a chart shows, and shorten the result.
    this.values.push(this.#count === 0 ? null : Number((this.#sum / this.#count).toPrecision(6)));
    this.#sum = this.#count = 0;
  }

  thin(): void {
    const means = this.values.flatMap((value, index) => {
      if (index % 2 === 0) return [];
      const before = this.values[index - 1] ?? null;
      return [value === null || before === null ? (value ?? before) : (value + before) / 2];
    });
    this.values.splice(0, Infinity, ...means);
  }

  get mean(): number | null {
    return this.#all.count === 0 ? null : this.#all.sum / this.#all.count;
  }
}

/** Sums of a counter or a histogram: at one scrape, or the increases since the first one. */
interface Sums {
  sum: number;
  count: number;
  idle: number;
  buckets: ReadonlyMap<number, number>;
}

const nothing: Sums = { sum: 0, count: 0, idle: 0, buckets: new Map() };

class SeriesAccount {
  readonly kind: Family['kind'];
  readonly #series: WantedSeries;
  readonly #lines = new Map<string, Line>();
  #points: number;
  #first: Sums | undefined;
  #previous: Sums | undefined;
  /** Increase since the first scrape. */
  #total = nothing;
  #timeMs = 0;
  #resets = 0;
  #omitted = 0;

  constructor(series: WantedSeries, kind: Family['kind'], points: number) {
    this.#series = series;
    this.kind = kind;
    this.#points = points;
  }

  startAtZero(): void {
    this.#first = this.#previous = nothing;
  }

  add(family: Family, sinceMs: number | undefined, isDuring: boolean): void {
    this.#omitted = Math.max(this.#omitted, family.omitted);
    if (this.kind === 'gauge') {
      for (const [labels, value] of family.gauges)
        if (this.#lines.has(labels) || this.#lines.size < maxLabelSets)
          this.#line(labels).add(inUnit(value, this.#series), isDuring);
        else this.#omitted++;
      return;
    }
    const previous = this.#previous;
    this.#first ??= family;
    this.#previous = family;
    if (previous === undefined || sinceMs === undefined) return;
    const increase = increaseOf(family, previous);
    if (increase.isReset) this.#resets++;
    this.#total = plus(this.#total, increase);
    this.#timeMs += sinceMs;
    for (const [name, value] of this.#figuresOf(increase, sinceMs)) this.#line(name).add(value);
  }

  point(): void {
    this.#points++;
    for (const line of this.#lines.values()) line.point();
  }

  thin(): void {
    this.#points = Math.floor(this.#points / 2);
    for (const line of this.#lines.values()) line.thin();
  }

  publish(maxLength: number): TargetMetric {
    const { key: name, title, isCpu } = this.#series;
    const count = (of: Sums | undefined): number | null =>
      isCpu ? null : finite(this.kind === 'histogram' ? of?.count : of?.sum);
    const whole = new Map(this.#timeMs > 0 ? this.#figuresOf(this.#total, this.#timeMs) : []);
    return {
      name,
      title,
      kind: this.kind,
      unit: unitOf(this.#series, this.kind),
      before: count(this.#first),
      after: count(this.#previous),
      increase: this.#timeMs > 0 ? count(this.#total) : null,
      resets: this.#resets,
      omitted: this.#omitted,
      lines: [...this.#lines].map(([line, { values, mean, max }]) => ({
        name: line,
        values: values.slice(0, maxLength),
        mean: finite(whole.get(line) ?? mean),
        max,
      })),
    };
  }

  /** Returns the figures of a period by the name of their line. */
  #figuresOf({ sum, count, idle, buckets }: Sums, ms: number): (readonly [string, number | null])[] {
    if (this.#series.isCpu) return [['busy', sum > 0 ? Math.min(1, Math.max(0, 1 - idle / sum)) : null]];
    if (this.kind === 'counter') return [['rate', ms > 0 ? sum / (ms / 1000) : null]];
    const inMs = (value: number | null): number | null => value && inUnit(value, this.#series, 'histogram');
    if (buckets.size === 0) return [['mean', inMs(count > 0 ? sum / count : null)]];
    return [
      ['p50', inMs(quantile(buckets, 0.5))],
      ['p95', inMs(quantile(buckets, 0.95))],
    ];
  }

  #line(name: string): Line {
    let line = this.#lines.get(name);
    if (line === undefined) this.#lines.set(name, (line = new Line(this.#points)));
    return line;
  }
}

/** Returns the increase since the previous scrape; after a reset, everything since then. */
function increaseOf(now: Sums, previous: Sums): Sums & { isReset: boolean } {
  const isReset = now.sum < previous.sum || now.count < previous.count;
  const from = isReset ? nothing : previous;
  return {
    isReset,
    sum: now.sum - from.sum,
    count: now.count - from.count,
    idle: now.idle - from.idle,
    buckets: new Map([...now.buckets].map(([bound, count]) => [bound, count - (from.buckets.get(bound) ?? 0)])),
  };
}

const plus = (one: Sums, other: Sums): Sums => ({
  sum: one.sum + other.sum,
  count: one.count + other.count,
  idle: one.idle + other.idle,
  buckets: new Map([...other.buckets].map(([bound, count]) => [bound, count + (one.buckets.get(bound) ?? 0)])),
});

/** Estimates a quantile of cumulative buckets, linearly within a bucket, as `histogram_quantile` of Prometheus does. */
function quantile(buckets: ReadonlyMap<number, number>, share: number): number | null {
  const sorted = [...buckets].toSorted(([a], [b]) => a - b);
  const total = sorted.at(-1)?.[1] ?? 0;
  if (!(total > 0)) return null;
  const rank = share * total;
  const at = sorted.findIndex(([, count]) => count >= rank);
  const [bound, count] = sorted[at] ?? [Infinity, total];
  const [low, below] = sorted[at - 1] ?? [0, 0];
  if (!Number.isFinite(bound)) return at <= 0 ? null : low;
  return low + (bound - low) * ((rank - below) / (count - below));
}

/** Documents have no other numbers. */
const finite = (value: number | null | undefined): number | null =>
  value !== undefined && value !== null && Number.isFinite(value) ? value : null;

type Unit = TargetMetric['unit'];

function unitOf({ name, isShare, isCpu }: WantedSeries, kind: Family['kind']): Unit {
  if (isShare || isCpu) return 'share';
  if (kind === 'counter') return 'perSecond';
  // LiteLLM's latencies are in seconds, without the suffix.
  if (/_seconds$|_latency_metric$/.test(name)) return 'ms';
  return name.endsWith('_bytes') ? 'bytes' : 'count';
}

const inUnit = (value: number, series: WantedSeries, kind: Family['kind'] = 'gauge'): number =>
  unitOf(series, kind) === 'ms' ? value * 1000 : value;
