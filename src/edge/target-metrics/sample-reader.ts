import { readLabels, type WantedSeries } from './known-series.ts';

/**
 * Values of one series in one scrape, over all its label sets. Counters and histograms are summed; gauges keep the first
 * label sets.
 */
export interface Family {
  kind: 'gauge' | 'counter' | 'histogram';
  /** Sum of a counter, or of the observations of a histogram. */
  sum: number;
  /** Number of observations of a histogram. */
  count: number;
  /** Cumulative counts of a histogram by upper bound. */
  buckets: Map<number, number>;
  /** Idle seconds among CPU seconds. */
  idle: number;
  gauges: Map<string, number>;
  /** Number of label sets beyond the maximum. */
  omitted: number;
}

/** Maximum number of label sets of a gauge. */
export const maxLabelSets = 5;
const maxBuckets = 500;
/** Maximum number of samples of wanted series, which take some microseconds each. */
const maxSamples = 20_000;
const maxLineLength = 64 * 1024;

type Part = '' | '_total' | '_bucket' | '_sum' | '_count';
const parts: readonly Part[] = ['', '_total', '_bucket', '_sum', '_count'];

/**
 * Reads Prometheus' text format and OpenMetrics as they arrive, and keeps wanted series only: other lines cost a look at
 * their name. Throws if a line of a wanted series is not valid. (`parse-prometheus-text-format` 1.1.1 loses the sums of
 * histograms with labels and the types of OpenMetrics counters, and parses a whole body in one pass.)
 */
export class SampleReader {
  readonly families = new Map<string, Family>();
  readonly #wanted = new Map<string, [WantedSeries, Part][]>();
  readonly #types = new Map<string, string>();
  #rest = '';
  #lines = 0;
  #samples = 0;

  constructor(wanted: readonly WantedSeries[]) {
    for (const series of wanted)
      for (const part of parts) {
        const name = series.name + part;
        this.#wanted.set(name, [...(this.#wanted.get(name) ?? []), [series, part]]);
      }
  }

  push(chunk: string): void {
    const text = this.#rest + chunk;
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      this.#line(text, from, end);
      from = end + 1;
    }
    this.#rest = text.slice(from);
    if (this.#rest.length > maxLineLength) throw new Error('not metrics: it has a line longer than 64 kB');
  }

  /** Ends the body. Returns the wanted series by their selector. */
  end(): ReadonlyMap<string, Family> {
    this.push('\n');
    return this.families;
  }

  #line(text: string, from: number, end: number): void {
    this.#lines++;
    if (text.startsWith('# TYPE ', from)) {
      const [, , name = '', type = ''] = text.slice(from, end).trim().split(/\s+/);
      const base = name.replace(/_total$/, '');
      if (this.#wanted.has(name) || this.#wanted.has(`${base}_total`)) this.#types.set(base, type);
      return;
    }
    let at = from;
    while (at < end && !isEnd(text.charCodeAt(at))) at++;
    const wanted = this.#wanted.get(text.slice(from, at));
    if (wanted === undefined) return;
    if (++this.#samples > maxSamples) throw new Error('more than 20,000 samples of the wanted series');
    const sample = /^(?:\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\})?[ \t]*(\S+)/.exec(text.slice(at, end));
    const value = sample === null ? undefined : readValue(sample[2] ?? '');
    if (value === undefined) throw new Error(`line ${String(this.#lines)} is not in Prometheus' text format`);
    const labels = readLabels(sample?.[1] ?? '');
    for (const [series, part] of wanted)
      if (Object.entries(series.labels).every(([name, equal]) => labels[name] === equal))
        this.#add(series, part, labels, value);
  }

  #add(series: WantedSeries, part: Part, labels: Record<string, string>, value: number): void {
    const kind = this.#kindOf(series, part);
    if (kind === undefined) return;
    let family = this.families.get(series.key);
    if (family === undefined) this.families.set(series.key, (family = newFamily(kind)));
    if (kind === 'counter') {
      family.sum += value;
      if (series.isCpu && (labels['mode'] === 'idle' || labels['mode'] === 'iowait')) family.idle += value;
    } else if (kind === 'gauge') addGauge(family, series, labels, value);
    else if (part === '_sum') family.sum += value;
    else if (part === '_count') family.count += value;
    else if (part === '_bucket') addBucket(family, readValue(labels['le'] ?? ''), value);
  }

  /** Returns the kind of a series by its declared type or the name of a sample; `undefined` for a sample of another series. */
  #kindOf({ name }: WantedSeries, part: Part): Family['kind'] | undefined {
    const type = this.#types.get(name.replace(/_total$/, ''));
    const isPart = part === '_bucket' || part === '_sum' || part === '_count';
    if (type === 'histogram' || type === 'summary') return 'histogram';
    if (isPart) return type === undefined || type === 'untyped' ? 'histogram' : undefined;
    if (type === 'counter') return 'counter';
    if (type === 'gauge') return part === '' ? 'gauge' : undefined;
    return part === '_total' || name.endsWith('_total') ? 'counter' : 'gauge';
  }
}

const newFamily = (kind: Family['kind']): Family => ({
  kind,
  sum: 0,
  count: 0,
  buckets: new Map(),
  idle: 0,
  gauges: new Map(),
  omitted: 0,
});

function addGauge(family: Family, series: WantedSeries, labels: Record<string, string>, value: number): void {
  const name = Object.entries(labels)
    .filter(([label]) => !Object.hasOwn(series.labels, label))
    .map(([label, text]) => `${label}="${text}"`)
    .join(', ');
  if (family.gauges.has(name) || family.gauges.size < maxLabelSets) family.gauges.set(name, value);
  else family.omitted++;
}

function addBucket({ buckets }: Family, bound: number | undefined, count: number): void {
  if (bound === undefined || (!buckets.has(bound) && buckets.size >= maxBuckets)) return;
  buckets.set(bound, (buckets.get(bound) ?? 0) + count);
}

/** Reports whether a character ends the name of a series: a brace or white space. */
const isEnd = (code: number): boolean => code === 0x7b || code === 0x20 || code === 0x09;

/** Parses a number as Go writes it; `undefined` if it is not one. */
function readValue(text: string): number | undefined {
  if (/^[+-]?inf$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  if (/^nan$/i.test(text)) return NaN;
  return /^[+-]?(?:\d|\.\d)/.test(text) && !Number.isNaN(Number(text)) ? Number(text) : undefined;
}
