/**
 * A page as data: the form of every document before a browser draws it. JSON-safe: numbers are finite, missing values
 * are null. All texts are plain; none is markup.
 */
export interface Page {
  kind: 'result' | 'comparison' | 'trend' | 'capacity';
  /** Heading and window title. */
  title: string;
  /** Facts below the heading: scenario, target, start, version. */
  facts: readonly Fact[];
  verdict: Verdict;
  sections: readonly Section[];
  /** Runs shown over time; series refer to them by index. */
  timelines: readonly Timeline[];
}

export interface Fact {
  name: string;
  text: string;
}

export interface Verdict {
  /** `doubtful`: passed, but the run is degraded. */
  state: 'passed' | 'doubtful' | 'failed' | 'invalid' | 'running' | 'neutral';
  /** The verdict in a sentence: the last line of the terminal. */
  sentence: string;
  /** Reasons, examples and remedies below the sentence. */
  notes: readonly string[];
}

export interface Section {
  /** Anchor. */
  id: string;
  title: string;
  /** Sentence below the title; empty if the title is enough. */
  lead: string;
  /** True if a narrow page shows only the title until the reader opens the section. */
  isSecondary?: boolean;
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
  | SpansBlock
  | LinesBlock;

/**
 * Unit of values, which decides their format. A `share` is a fraction of 1, written in per cent; a `change` is relative
 * (0.12 is `+12.0 %`); `points` is the difference of two shares (0.0012 is `+0.12 pp`).
 */
export type Unit = 'ms' | 'perSecond' | 'count' | 'share' | 'bytes' | 'ratio' | 'change' | 'points';

/** Meaning of a value or series, which decides its colour; colour is never the only sign. */
export type Tone = CauseTone | 'ok' | 'failed' | 'retry' | 'neutral' | 'base' | 'head' | OrdinalTone;
type CauseTone = 'rate_limited' | 'provider' | 'server' | 'client' | 'network' | 'integrity' | 'generator';
type OrdinalTone = 'first' | 'second' | 'third' | 'fourth' | 'fifth';

/** Key figures, drawn as tiles. */
export interface FiguresBlock {
  type: 'figures';
  figures: readonly Figure[];
}
export interface Figure {
  name: string;
  /** The figure in the terminal's format; `-` without a value. */
  text: string;
  /** Interval, total or limit; may be empty. */
  detail: string;
  /** Verdict of the gates on the figure; `plain` if it has no gate. */
  state: 'good' | 'bad' | 'doubtful' | 'plain';
}

export interface TableBlock {
  type: 'table';
  title: string;
  /** `link`: address of the trace ids in the cells, with `{traceId}`. */
  columns: readonly { head: string; align: 'left' | 'right'; link?: string }[];
  rows: readonly TableRow[];
  /** True if a screen shows only the caption until the reader opens the table; paper shows all of it. */
  isFolded?: boolean;
  /** Explanation above a folded table; appears with it. */
  legend?: string;
}
interface TableRow {
  cells: readonly string[];
  state: 'good' | 'bad' | 'doubtful' | 'plain';
}

interface ProseBlock {
  type: 'prose';
  lines: readonly string[];
}

interface Chart {
  /** Unique on the page; names the files that readers save. */
  id: string;
  title: string;
  /** Content of the chart and how to read it, in a sentence or two. */
  description: string;
}

/** Limit of a gate, drawn as a horizontal line with a label. */
export interface Limit {
  value: number;
  label: string;
}

/** Series over the shared time axis. */
export interface TimeBlock extends Chart {
  type: 'time';
  unit: Unit;
  /** `stacked`: areas on top of each other, the first at the bottom. */
  form: 'lines' | 'stacked';
  series: readonly TimeSeries[];
  limits?: readonly Limit[];
}
export interface TimeSeries {
  label: string;
  tone: Tone;
  /** Index of the timeline on the page. */
  run: number;
  column: string;
}

/** Statistics of a series over the shared time axis, both chosen by the reader. Their columns are `series.statistic`. */
export interface PercentilesBlock extends Chart {
  type: 'percentiles';
  series: readonly Choice[];
  statistics: readonly { key: string; label: string; tone: Tone }[];
  chosen: { series: string; statistics: readonly string[] };
  /** Limits by the column that they are for. */
  limits: readonly (Limit & { column: string })[];
}
export interface Choice {
  key: string;
  label: string;
  /** Meaning, in a sentence; empty if the label is enough. */
  note: string;
}

/** Heat map of durations over time: one column per interval, one row per bucket of a logarithmic scale. */
export interface HeatBlock extends Chart {
  type: 'heat';
  /** Series to choose from; their cells are in the timelines. */
  choices: readonly Choice[];
}

/** Percentiles of whole series on the logarithmic axis of HdrHistogram. */
export interface CurveBlock extends Chart {
  type: 'curve';
  /** True if the duration axis is logarithmic at first: series of different magnitudes remain legible. */
  isLog: boolean;
  series: readonly {
    label: string;
    tone: Tone;
    /** Percentile (0 to below 100) and milliseconds, rising. */
    points: readonly (readonly [number, number])[];
    /** True if the series is hidden until the reader switches it on. */
    isOff?: boolean;
  }[];
  /** Limits by the percentile that they are for. */
  limits: readonly (Limit & { percentile: number })[];
}

/** Values with their intervals, one per row: a forest plot, or policies or positions side by side. */
export interface RangesBlock extends Chart {
  type: 'ranges';
  unit: Unit;
  scale: 'linear' | 'log';
  /** Value of the reference line, such as 0 for no change; null if there is none. */
  reference: number | null;
  rows: readonly RangeRow[];
}
export interface RangeRow {
  label: string;
  tone: Tone;
  value: number | null;
  low: number | null;
  high: number | null;
  /** End beyond which the range continues to an unknown value; the other end is its value. */
  open?: 'low' | 'high';
  /** Smallest change that matters, drawn as a band around the reference; null if there is none. */
  margin: number | null;
  /** Verdict in a word. */
  note: string;
  /** Remark on the value. */
  remark?: string;
}

/** Spans of time, one or several in a row, on one axis that starts at 0: parts of a duration, or a waterfall. */
export interface SpansBlock extends Chart {
  type: 'spans';
  /** Meaning of the colours. */
  legend: readonly { label: string; tone: Tone }[];
  rows: readonly SpanRow[];
}
export interface SpanRow {
  label: string;
  /** Rows of a higher level belong to the previous row of a lower one. */
  level: 0 | 1 | 2;
  /** Text at the end of the row; may be empty. */
  note: string;
  spans: readonly { fromMs: number; toMs: number; tone: Tone; text: string }[];
}

/** Lines over an axis other than the run's time: a load shape, nights, quantiles. */
export interface LinesBlock extends Chart {
  type: 'lines';
  /** `log`: positive numbers on a logarithmic axis. */
  x: { title: string; form: 'number' | 'log' | 'durationMs' | 'percentile' | 'text'; labels: readonly string[] };
  unit: Unit;
  /** Unit of the right axis; absent if there is none. */
  rightUnit?: Unit;
  /** `step`: a value holds until the next. */
  form: 'line' | 'step' | 'points';
  series: readonly {
    label: string;
    tone: Tone;
    /** Set only if it differs from the form of the block. */
    form?: 'line' | 'step' | 'points';
    /** Set only for series on the right axis. */
    axis?: 'right';
    points: readonly { x: number; y: number; low: number | null; high: number | null }[];
  }[];
  marks: readonly { x: number; label: string }[];
}

/** A run over time, column by column; all columns have the length of `startMs`. */
export interface Timeline {
  label: string;
  /** Start of each interval, since the start of the run. */
  startMs: readonly number[];
  lengthMs: readonly number[];
  columns: Readonly<Record<string, readonly (number | null)[]>>;
  /** For each series and interval: pairs of a bucket and its count, flat. */
  heat: Readonly<Record<string, readonly (readonly number[])[]>>;
  marks: readonly Mark[];
}

/** Event of a run on its time axis. */
export interface Mark {
  atMs: number;
  /** End of the event; null for an instant. */
  untilMs: number | null;
  kind: 'warm_up' | 'ramp' | 'stop' | 'drain' | 'gate' | 'stall';
  label: string;
}

/** Logarithmic scale of heat maps: bucket i starts at `heatFromMs * heatStep ** i`. */
export const heatFromMs = 0.1;
export const heatStep = 2 ** 0.25;

/** Returns a number that can be drawn; null for a missing or infinite one. */
export function finite(value: number | null | undefined): number | null {
  return value !== null && value !== undefined && Number.isFinite(value) ? value : null;
}

/** Rounds to four significant digits: more than a chart shows, in half the bytes. */
export function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

/** Rounds a time on an axis to the microsecond. */
export function roundedMs(value: number): number {
  return Math.round(value * 1000) / 1000;
}
