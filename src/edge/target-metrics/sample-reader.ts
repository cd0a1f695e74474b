import { readLabels, type WantedSeries } from './known-series.ts';

/** Values of a counter or a histogram: of one label set, or summed over several. */
export interface Sums {
  /** Value of a counter, or sum of the observations of a histogram. */
  sum: number;
  /** Number of observations of a histogram. */
  count: number;
  /** Part of the sum with the label `mode` of idle CPUs: idle seconds among CPU seconds. */
  idle: number;
  /** Cumulative counts of a histogram by upper bound. */
  buckets: Map<number, number>;
}

/** Values of one series in one scrape. Counters and histograms keep every label set, gauges the first ones. */
export interface Family {
  kind: 'gauge' | 'counter' | 'histogram';
  /** Counters and histograms by label set; a part that is not readable is NaN. */
  sets: Map<string, Sums>;
  gauges: Map<string, number>;
  /** Number of label sets of a gauge beyond the maximum. */
  omitted: number;
  /** Number of samples without a readable value. */
  unreadable: number;
  /** True if a sample was not readable up to its labels, so that the label sets are not all known. */
  isPartial: boolean;
}

/** A body of metrics: the wanted series by their selector, and the start of the process, in seconds since 1970. */
export interface MetricsPage {
  families: ReadonlyMap<string, Family>;
  /** `undefined`: none, or those of several processes. */
  startSeconds: number | undefined;
  /** True if it declares a series, or has a sample: a counter with labels has none before the first request. */
  isMetrics: boolean;
  /** True if it declares a wanted series. */
  isDeclared: boolean;
}

/** Maximum number of label sets of a gauge. */
export const maxLabelSets = 5;
/** Maximum number of buckets of a label set. */
const maxBuckets = 500;
/** Series with the start of the process, as all common clients export it. */
const startTime = 'process_start_time_seconds';
/** Maximum number of samples of wanted series, which take some microseconds each. */
const maxSamples = 20_000;
const maxLineLength = 64 * 1024;

type Part = '' | '_total' | '_bucket' | '_sum' | '_count';
const parts: readonly Part[] = ['', '_total', '_bucket', '_sum', '_count'];

/**
 * Reads Prometheus' text format and OpenMetrics as they arrive, and keeps wanted series only: other lines cost a look at
 * their name. A sample that is not readable costs that sample; throws if none of the wanted series is. (`parse-prometheus-text-format` 1.1.1 loses the sums of
 * histograms with labels and the types of OpenMetrics counters, and parses a whole body in one pass.)
 */
export class SampleReader {
  readonly families = new Map<string, Family>();
  readonly #wanted = new Map<string, [WantedSeries, Part][]>();
  readonly #types = new Map<string, string>();
  #rest = '';
  #lines = 0;
  #samples = 0;
  #readable = 0;
  /** Number of the first line that was not readable. */
  #firstUnreadable: number | undefined;
  #isMetrics = false;
  /** Samples of wanted series, to find those that occur twice. */
  readonly #values = new Map<string, number>();
  readonly #starts: number[] = [];

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

  /** Ends the body. Throws if it has samples of wanted series, and none is readable. */
  end(): MetricsPage {
    this.push('\n');
    if (this.#readable === 0 && this.#firstUnreadable !== undefined)
      throw new Error(`line ${String(this.#firstUnreadable)} is not in Prometheus' text format`);
    const [start = NaN] = this.#starts.length === 1 ? this.#starts : [];
    return {
      families: this.families,
      startSeconds: Number.isFinite(start) ? start : undefined,
      isMetrics: this.#isMetrics,
      isDeclared: this.#types.size > 0,
    };
  }

  #line(text: string, from: number, end: number): void {
    this.#lines++;
    if (text.startsWith('# TYPE ', from)) {
      this.#isMetrics = true;
      const [, , name = '', type = ''] = text.slice(from, end).trim().split(/\s+/);
      const base = name.replace(/_total$/, '');
      if (this.#wanted.has(name) || this.#wanted.has(`${base}_total`)) this.#types.set(base, type);
      return;
    }
    let at = from;
    while (at < end && !isEnd(text.charCodeAt(at))) at++;
    const name = text.slice(from, at);
    const wanted = this.#wanted.get(name);
    this.#isMetrics ||= aSample.test(text.slice(from, Math.min(end, from + maxLineLength)));
    if (wanted === undefined && name !== startTime) return;
    const { labels, value } = readSample(text.slice(at, end));
    if (name === startTime) this.#starts.push(value ?? NaN);
    if (wanted === undefined) return;
    if (++this.#samples > maxSamples) throw new Error('more than 20,000 samples of the wanted series');
    if (value === undefined) this.#firstUnreadable ??= this.#lines;
    else this.#readable++;
    for (const [series, part] of wanted)
      if (labels === undefined) this.#miss(series, part);
      else if (Object.entries(series.labels).every(([label, equal]) => labels[label] === equal))
        this.#add(series, part, { labels, value: value ?? NaN });
  }

  /** Notes a sample whose labels are not readable. */
  #miss(series: WantedSeries, part: Part): void {
    const family = this.#familyOf(series, part);
    if (family === undefined) return;
    family.unreadable++;
    family.isPartial = true;
  }

  #add(series: WantedSeries, part: Part, sample: Sample): void {
    const family = this.#familyOf(series, part);
    if (family === undefined) return;
    if (family.kind === 'gauge') return addGauge(family, series, sample);
    // Quantiles of a summary.
    if (family.kind === 'histogram' && !isPartOfHistogram(part)) return;
    const value = this.#valueOf(`${series.key}\0${part}\0${setKeyOf(sample.labels, false)}`, sample.value);
    if (!Number.isFinite(value)) family.unreadable++;
    addToSet(family, part, { ...sample, value });
  }

  /** Returns the value of a sample; NaN for one that occurs twice with different values. */
  #valueOf(name: string, value: number): number {
    const known = this.#values.get(name) ?? value;
    this.#values.set(name, value);
    return known === value ? value : NaN;
  }

  #familyOf(series: WantedSeries, part: Part): Family | undefined {
    const kind = this.#kindOf(series, part);
    if (kind === undefined) return undefined;
    let family = this.families.get(series.key);
    if (family === undefined) this.families.set(series.key, (family = newFamily(kind)));
    return family;
  }

  /** Returns the kind of a series by its declared type or the name of a sample; `undefined` for a sample of another series. */
  #kindOf({ name }: WantedSeries, part: Part): Family['kind'] | undefined {
    const type = this.#types.get(name.replace(/_total$/, ''));
    const isPart = isPartOfHistogram(part);
    if (type === 'histogram' || type === 'summary') return 'histogram';
    if (isPart) return type === undefined || type === 'untyped' ? 'histogram' : undefined;
    if (type === 'counter') return 'counter';
    if (type === 'gauge') return part === '' ? 'gauge' : undefined;
    return part === '_total' || name.endsWith('_total') ? 'counter' : 'gauge';
  }
}

const newFamily = (kind: Family['kind']): Family => ({
  kind,
  sets: new Map(),
  gauges: new Map(),
  omitted: 0,
  unreadable: 0,
  isPartial: false,
});

const isPartOfHistogram = (part: Part): boolean => part === '_bucket' || part === '_sum' || part === '_count';

/** Labels and value of a sample. */
interface Sample {
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** Parses a line after the name of its series; `undefined` for a part that is not readable. What follows the value is ignored. */
function readSample(text: string): { [Part in keyof Sample]: Sample[Part] | undefined } {
  const found = /^(?:\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\})?[ \t]*(\S+)/.exec(text);
  const hasLabels = found !== null && (found[1] !== undefined || !text.startsWith('{'));
  return { labels: hasLabels ? readLabels(found[1] ?? '') : undefined, value: readValue(found?.[2] ?? '') };
}

/** A line with a sample, of any series. */
const aSample = /^[a-zA-Z_:][\w:]*(?:\{[^}]*\})?[ \t]+[+-]?(?:[\d.]|inf|nan)/i;

/** Adds a sample of a counter or a histogram to its label set. */
function addToSet({ sets }: Family, part: Part, { labels, value: read }: Sample): void {
  const value = Number.isFinite(read) ? read : NaN;
  const key = setKeyOf(labels, part === '_bucket');
  let set = sets.get(key);
  if (set === undefined) sets.set(key, (set = { sum: 0, count: 0, idle: 0, buckets: new Map() }));
  if (part === '_count') set.count = value;
  else if (part === '_bucket') addBucket(set, readValue(labels['le'] ?? ''), value);
  else set.sum = value;
  if (labels['mode'] === 'idle' || labels['mode'] === 'iowait') set.idle = value;
}

/** Identifies a label set, in any order of its labels; a bound of a histogram does not belong to it. */
function setKeyOf(labels: Readonly<Record<string, string>>, isBucket: boolean): string {
  let key = '';
  for (const name of Object.keys(labels).sort())
    if (!isBucket || name !== 'le') key += `${name}\0${labels[name] ?? ''}\0`;
  return key;
}

function addGauge(family: Family, series: WantedSeries, { labels, value }: Sample): void {
  const name = Object.entries(labels)
    .filter(([label]) => !Object.hasOwn(series.labels, label))
    .map(([label, text]) => `${label}="${text}"`)
    .join(', ');
  if (family.gauges.has(name) || family.gauges.size < maxLabelSets) family.gauges.set(name, value);
  else family.omitted++;
}

function addBucket({ buckets }: Sums, bound: number | undefined, count: number): void {
  if (bound === undefined || (!buckets.has(bound) && buckets.size >= maxBuckets)) return;
  buckets.set(bound, count);
}

/** Reports whether a character ends the name of a series: a brace or white space. */
const isEnd = (code: number): boolean => code === 0x7b || code === 0x20 || code === 0x09;

/** Parses a number as Go writes it; `undefined` if it is not one. */
function readValue(text: string): number | undefined {
  if (/^[+-]?inf$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  if (/^[+-]?nan$/i.test(text)) return NaN;
  return /^[+-]?(?:\d|\.\d)/.test(text) && !Number.isNaN(Number(text)) ? Number(text) : undefined;
}
