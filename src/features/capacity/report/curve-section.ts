import { heads, table, type OutlineColumn, type OutlineTable, type Section } from '../../../report/outline/outline.ts';
import { groupBy } from '../../../base/group-by.ts';
import type { Capacity } from '../document/capacity.ts';
import type { Step } from '../document/step.ts';
import { limitText, loadUnitTexts } from '../words/summarize.ts';
import { finite, type LinesBlock } from '../../../report/page/page.ts';
import { bar } from '../../../report/words/bars.ts';
import { formatMs, formatNumber, formatPerSecond } from '../../../base/format.ts';
import { paragraph } from '../../../report/words/paragraph.ts';
import { renderTable, type Style } from '../../../report/words/table.ts';
import { shownLatency } from './capacity-facts.ts';

/** Builds the chart of throughput and latency by load, with both ends and the knee. */
export function curveSection(capacity: Capacity): Section {
  const rows = curveRows(capacity);
  return {
    page: {
      id: 'curve',
      title: 'Throughput and latency by load',
      lead: 'Below the knee more load adds throughput; above it, it mostly adds waiting.',
    },
    blocks:
      rows.length === 0
        ? []
        : [
            { type: 'made', terminal: (style) => curveChart(capacity, rows, style) },
            linesOf(capacity, rows),
            curveTable(capacity, rows),
          ],
  };
}

const barWidth = 20;

function curveTable(capacity: Capacity, rows: readonly CurveRow[]): OutlineTable {
  const max = Math.max(...rows.map(({ turnsPerSecond }) => turnsPerSecond ?? 0));
  const columns: readonly OutlineColumn[] = [
    ...heads(`>${loadUnitTexts[capacity.by]}`, '>turns/s'),
    { head: 'throughput', on: ['markdown'], markdown: 'code' },
    { head: shownLatency(capacity).metric, align: 'right' },
    { head: 'verdict', on: ['markdown'], markdown: 'made' },
    { head: 'verdict', on: ['page'] },
    { head: 'mark', on: ['page'] },
  ];
  const made = rows.map(({ load, turnsPerSecond, latencyMs, verdict, marks, isSaturated }) => ({
    cells: [
      formatNumber(load),
      turnsPerSecond === null ? '-' : formatNumber(turnsPerSecond),
      bar({ share: shareOf(turnsPerSecond, max), width: barWidth }),
      formatMs(latencyMs),
      marks.length === 0
        ? verdictTexts[verdict]
        : `**${[verdictTexts[verdict], ...marks.filter((mark) => mark !== verdict).map((mark) => markTexts[mark])].join(', ')}**`,
      verdictTexts[verdict] + (isSaturated ? ', saturated' : ''),
      marks.map((mark) => markTexts[mark]).join(', '),
    ],
    state: looks[verdict].state,
  }));
  return table('Figures by load', columns, made, { on: ['markdown', 'page'], isFolded: true });
}

const verdictTexts = { holds: 'pass', broken: 'fail', mixed: 'steps disagree', undecided: 'undecided' } as const;
const markTexts = { knee: 'knee', holds: 'highest that passes', broken: 'lowest that fails' } as const;
const looks = {
  holds: { state: 'good', paint: 'green' },
  broken: { state: 'bad', paint: 'red' },
  mixed: { state: 'doubtful', paint: 'yellow' },
  undecided: { state: 'doubtful', paint: 'yellow' },
} as const;

/** Figures of all steps at a load. */
interface CurveRow {
  load: number;
  /** Mean over the steps; `null` if no step has the value. */
  turnsPerSecond: number | null;
  /** Mean of the latency that is shown. */
  latencyMs: number | null;
  /** `mixed` if the steps disagree. */
  verdict: 'holds' | 'broken' | 'mixed' | 'undecided';
  isSaturated: boolean;
  marks: readonly CurveMark[];
}

type CurveMark = 'holds' | 'broken' | 'knee';

/**
 * Returns the curve by rising load. It excludes steps that the generator could not sustain, which are not evidence about
 * the service, and steps after a broken one, while the service recovers.
 */
export function curveRows(capacity: Capacity): CurveRow[] {
  const { holds, broken, knee } = capacity;
  const { read } = shownLatency(capacity);
  const evidence = capacity.steps.filter(
    ({ verdict, purpose, by }) => verdict !== 'no_evidence' && purpose !== 'recover' && by === undefined,
  );
  const ends = { knee, holds, broken };
  const names = Object.keys(ends) as CurveMark[];
  return [...groupBy(evidence, ({ load }) => String(load)).values()]
    .map((steps) => ({
      load: steps[0].load,
      turnsPerSecond: meanOf(steps, ({ figures }) => figures.turnsPerSecond),
      latencyMs: meanOf(steps, read),
      verdict: verdictOf(steps),
      isSaturated: steps.some(({ isSaturated }) => isSaturated),
      marks: names.filter((name) => ends[name]?.load === steps[0].load),
    }))
    .toSorted((a, b) => a.load - b.load);
}

function meanOf(steps: readonly Step[], figure: (step: Step) => number | null): number | null {
  const known = steps.map(figure).filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

function verdictOf(steps: readonly Step[]): CurveRow['verdict'] {
  const verdicts = new Set(steps.map(({ verdict }) => verdict));
  if (verdicts.has('holds') && verdicts.has('broken')) return 'mixed';
  return verdicts.has('broken') ? 'broken' : verdicts.has('holds') ? 'holds' : 'undecided';
}

function linesOf(capacity: Capacity, rows: readonly CurveRow[]): LinesBlock {
  const { by, holds, broken, knee } = capacity;
  const ends = Object.entries({ knee, passes: holds, fails: broken });
  const marks = ends.flatMap(([name, end]) =>
    end === null ? [] : [{ x: end.load, label: `${name} ${formatNumber(end.load)}` }],
  );
  return {
    type: 'lines',
    id: 'curve',
    title: `Turns per second and ${shownLatency(capacity).metric}`,
    description: 'Mean over the steps at each load (log axis). Throughput: left axis; latency: right axis.',
    x: { title: loadUnitTexts[by], form: 'log', labels: [] },
    unit: 'perSecond',
    rightUnit: 'ms',
    form: 'line',
    series: [
      { label: 'turns/s (left)', tone: 'first', points: pointsOf(rows, ({ turnsPerSecond }) => turnsPerSecond) },
      {
        label: `${shownLatency(capacity).metric} (right)`,
        tone: 'second',
        axis: 'right',
        points: pointsOf(rows, ({ latencyMs }) => latencyMs),
      },
      ...limitSeries(capacity, rows),
    ],
    marks: marks.filter(({ x }) => finite(x) !== null),
  };
}

function pointsOf(
  rows: readonly CurveRow[],
  figure: (row: CurveRow) => number | null,
): LinesBlock['series'][number]['points'] {
  return rows.flatMap((row) => {
    const [x, y] = [finite(row.load), finite(figure(row))];
    return x === null || y === null ? [] : [{ x, y, low: null, high: null }];
  });
}

function limitSeries(capacity: Capacity, rows: readonly CurveRow[]): LinesBlock['series'][number][] {
  const { metric, limitMs } = shownLatency(capacity);
  const [first, last] = [rows[0], rows.at(-1)];
  if (limitMs === null || first === undefined || last === undefined) return [];
  const points = [...new Set([first.load, last.load])].map((x) => ({ x, y: limitMs, low: null, high: null }));
  return [{ label: `limit of ${metric}, ${limitText(limitMs, 'ms')} (right)`, tone: 'neutral', axis: 'right', points }];
}

/** Draws the curve as bars, one row per load, with throughput and latency side by side. */
function curveChart(capacity: Capacity, rows: readonly CurveRow[], style: Style): string {
  const scale = scaleOf(rows, capacity);
  const columns = heads('>LOAD', '>turns/s', '', `>${shownLatency(capacity).metric}`, '', '');
  const width = chartBarWidth(style.width);
  const cells = rows.map((row) => cellsOf(row, { scale, width, style }));
  return [renderTable(columns, cells, style), legend(capacity, scale, style)].join('\n');
}

/** Returns the width of a bar; loads, figures and marks take 42 columns. */
const chartBarWidth = (width: number): number => Math.max(6, Math.min(36, Math.floor((width - 42) / 2)));

interface Scale {
  turnsPerSecond: number;
  latencyMs: number;
  /** `null` if there is no limit, or if it is beyond the scale. */
  limitMs: number | null;
}

/** Maximum bar length relative to the loads that hold, so that an extremely slow load does not flatten all others. */
const beyond = 2.5;

function scaleOf(rows: readonly CurveRow[], capacity: Capacity): Scale {
  const { limitMs } = shownLatency(capacity);
  const max = (values: readonly (number | null)[]): number => Math.max(0, ...values.map((value) => value ?? 0));
  const held = max(rows.map(({ verdict, latencyMs }) => (verdict === 'holds' ? latencyMs : null)));
  const longest = max(rows.map(({ latencyMs }) => latencyMs));
  const shown = Math.max(held, limitMs ?? 0) * beyond;
  const latencyMs = shown > 0 ? Math.min(longest, shown) : longest;
  return {
    turnsPerSecond: max(rows.map((row) => row.turnsPerSecond)),
    latencyMs,
    limitMs: limitMs !== null && limitMs < latencyMs ? limitMs : null,
  };
}

interface Drawing {
  scale: Scale;
  width: number;
  style: Style;
}

function cellsOf(row: CurveRow, { scale, width, style }: Drawing): string[] {
  const { load, turnsPerSecond, latencyMs } = row;
  const limit = scale.limitMs === null ? null : scale.limitMs / scale.latencyMs;
  const paint = style.colors[looks[row.verdict].paint];
  return [
    formatNumber(load),
    turnsPerSecond === null ? '-' : formatPerSecond(turnsPerSecond).replace('/s', ''),
    paint(bar({ share: shareOf(turnsPerSecond, scale.turnsPerSecond), width })),
    formatMs(latencyMs),
    paint(bar({ share: shareOf(latencyMs, scale.latencyMs), width, limit })),
    markText(row),
  ];
}

const shareOf = (value: number | null, of: number): number => (value === null || of === 0 ? 0 : value / of);

const markSigns = { knee: 'knee', holds: 'PASSES', broken: 'FAILS' } as const;

/** Marks ends and knee, and other loads that do not simply pass. */
function markText({ marks, verdict, isSaturated }: CurveRow): string {
  const isEnd = marks.includes('holds') || marks.includes('broken');
  const shown = [
    ...marks.map((mark) => markSigns[mark]),
    ...(verdict === 'mixed' ? ['both'] : isEnd || verdict === 'holds' ? [] : [verdict === 'broken' ? 'x' : '?']),
    ...(isSaturated ? ['sat.'] : []),
  ];
  return shown.join(' ');
}

function legend(capacity: Capacity, { limitMs, latencyMs }: Scale, { width, colors }: Style): string {
  const text = [
    `load in ${loadUnitTexts[capacity.by]}`,
    ...(limitMs === null ? [] : [`│ limit of ${shownLatency(capacity).metric}, ${limitText(limitMs, 'ms')}`]),
    `» longer than ${formatMs(latencyMs)}`,
    'x failed, ? undecided, both: steps disagree, sat.: arrivals exceeded throughput',
  ].join('; ');
  return paragraph(text, { width, paint: colors.dim });
}
