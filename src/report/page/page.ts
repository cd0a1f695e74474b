/**
 * A page as data: what every document is turned into before a browser draws it. JSON-safe: numbers are finite, what is
 * missing is null. All texts are plain; nothing in it is markup.
 */
export interface Page {
  /** Which document it shows. */
  kind: 'result' | 'comparison' | 'trend' | 'capacity';
  /** The heading, and the title of the window. */
  title: string;
  /** What stands below the heading: scenario, target, when, by which version. */
  facts: readonly Fact[];
  verdict: Verdict;
  sections: readonly Section[];
  /** The runs shown over time, in the order in which series name them. */
  timelines: readonly Timeline[];
}

export interface Fact {
  name: string;
  text: string;
}

export interface Verdict {
  /** `doubtful`: passed, but the run is degraded. */
  state: 'passed' | 'doubtful' | 'failed' | 'invalid' | 'running' | 'neutral';
  /** The verdict in a sentence, as the last line of the terminal has it. */
  sentence: string;
  /** What to know beside it: why it is degraded, and what to do about it. */
  notes: readonly string[];
}

export interface Section {
  /** The anchor. */
  id: string;
  title: string;
  /** What the section answers, in a sentence; empty: its title says it. */
  lead: string;
  blocks: readonly Block[];
}

export type Block =
  | FiguresBlock
  | TableBlock
  | ProseBlock
  | TimeBlock
  | PercentilesBlock
  | HeatBlock
  | CurveBlock
  | RangesBlock
  | LinesBlock;

/**
 * The unit of values: it decides how they are written. `share` is of 1, and written in per cent; `change` is a relative
 * one, of 1 too (0.12 is `+12.0 %`); `points` is the difference of two shares (0.0012 is `+0.12 pp`).
 */
export type Unit = 'ms' | 'perSecond' | 'count' | 'share' | 'bytes' | 'ratio' | 'change' | 'points';

/** What a value or a series is of: it decides the colour, which never is the only sign. */
export type Tone =
  | 'ok'
  | 'failed'
  | 'retry'
  | 'rate_limited'
  | 'provider'
  | 'server'
  | 'client'
  | 'network'
  | 'integrity'
  | 'generator'
  | 'neutral'
  | 'base'
  | 'head'
  | 'first'
  | 'second'
  | 'third'
  | 'fourth'
  | 'fifth';

/** Key figures as cards. */
export interface FiguresBlock {
  type: 'figures';
  figures: readonly Figure[];
}
export interface Figure {
  name: string;
  /** The figure as the terminal writes it; `-` where there is none. */
  text: string;
  /** Its interval, or what it is out of; empty: nothing. */
  detail: string;
  /** Whether it is good or bad news. */
  state: 'good' | 'bad' | 'doubtful' | 'plain';
}

export interface TableBlock {
  type: 'table';
  /** What it lists: the caption. */
  title: string;
  columns: readonly { head: string; align: 'left' | 'right' }[];
  rows: readonly TableRow[];
}
interface TableRow {
  cells: readonly string[];
  state: 'good' | 'bad' | 'doubtful' | 'plain';
}

/** Paragraphs. */
interface ProseBlock {
  type: 'prose';
  lines: readonly string[];
}

interface Chart {
  /** Unique on the page: names files that are saved. */
  id: string;
  title: string;
  /** What it shows and how to read it, in a sentence or two. */
  description: string;
}

/** Series over the shared time axis. */
export interface TimeBlock extends Chart {
  type: 'time';
  unit: Unit;
  /** Stacked: areas on top of each other, in their order. */
  form: 'lines' | 'stacked';
  series: readonly TimeSeries[];
}
export interface TimeSeries {
  label: string;
  tone: Tone;
  /** Which of the page's timelines. */
  run: number;
  /** The column of the timeline. */
  column: string;
}

/** Any statistic of any series over the shared time axis: the reader chooses. The column of a pair is `series.statistic`. */
export interface PercentilesBlock extends Chart {
  type: 'percentiles';
  series: readonly Choice[];
  statistics: readonly Choice[];
  /** What is drawn at first. */
  chosen: { series: string; statistics: readonly string[] };
}
export interface Choice {
  key: string;
  label: string;
  /** What it means, in a sentence; empty: its label says it. */
  note: string;
}

/** How durations are spread over time: a column an interval, a row a bucket of a logarithmic scale. */
export interface HeatBlock extends Chart {
  type: 'heat';
  /** For each timeline, what it is of; the cells are in the timeline. */
  choices: readonly Choice[];
}

/** Percentiles of whole series on the logarithmic axis of HdrHistogram. */
export interface CurveBlock extends Chart {
  type: 'curve';
  series: readonly {
    label: string;
    tone: Tone;
    /** Percentile (0 to below 100) and milliseconds, rising. */
    points: readonly (readonly [number, number])[];
  }[];
}

/** Values with their intervals, one a row: a forest plot, policies or positions side by side. */
export interface RangesBlock extends Chart {
  type: 'ranges';
  unit: Unit;
  scale: 'linear' | 'log';
  /** A line to compare with, such as 0 for no change; null: none. */
  reference: number | null;
  rows: readonly RangeRow[];
}
export interface RangeRow {
  label: string;
  tone: Tone;
  value: number | null;
  low: number | null;
  high: number | null;
  /** The least change that matters: drawn as a band around the reference; null: none. */
  margin: number | null;
  /** A word on it: its verdict. */
  note: string;
}

/** Lines over something other than the time of a run: a load shape, nights, quantiles. */
export interface LinesBlock extends Chart {
  type: 'lines';
  /** `log`: numbers above zero on a logarithmic axis. */
  x: { title: string; form: 'number' | 'log' | 'durationMs' | 'percentile' | 'text'; labels: readonly string[] };
  unit: Unit;
  /** The unit of the axis on the right, for series that say so; without it there is none. */
  rightUnit?: Unit;
  /** Steps: a value holds until the next. */
  form: 'line' | 'step' | 'points';
  series: readonly {
    label: string;
    tone: Tone;
    /** Where it differs from that of the block. */
    form?: 'line' | 'step' | 'points';
    /** `right`: its values are on the axis on the right. */
    axis?: 'right';
    points: readonly { x: number; y: number; low: number | null; high: number | null }[];
  }[];
  marks: readonly { x: number; label: string }[];
}

/** A run over time, column by column: all columns are as long as `startMs`. */
export interface Timeline {
  label: string;
  /** Where each interval starts, since the start of the run. */
  startMs: readonly number[];
  lengthMs: readonly number[];
  columns: Readonly<Record<string, readonly (number | null)[]>>;
  /** Of each series: for each interval, pairs of a bucket and its count, flat. */
  heat: Readonly<Record<string, readonly (readonly number[])[]>>;
  marks: readonly Mark[];
}

/** Something that happened to a run, on its time axis. */
export interface Mark {
  atMs: number;
  /** Where it ends; null: an instant. */
  untilMs: number | null;
  kind: 'warm_up' | 'ramp' | 'stop' | 'drain' | 'gate' | 'stall';
  label: string;
}

/** The logarithmic scale of heat maps: bucket i is from `heatFromMs * heatStep ** i` on. */
export const heatFromMs = 0.1;
export const heatStep = 2 ** 0.25;

/** A number that can be drawn; null for one that is missing, or no number. */
export function finite(value: number | null | undefined): number | null {
  return value !== null && value !== undefined && Number.isFinite(value) ? value : null;
}

/** Four significant digits: more than a chart shows, in half the bytes. */
export function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

/** A time on an axis, to the microsecond. */
export function roundedMs(value: number): number {
  return Math.round(value * 1000) / 1000;
}
