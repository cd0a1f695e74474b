import type { Capacity } from '../../capacity/document/capacity.ts';
import { loadUnitTexts } from '../../capacity/words/load-text.ts';
import { bar } from '../words/bar.ts';
import { formatMs, formatNumber, formatPerSecond } from '../words/format.ts';
import { paragraph } from '../words/paragraph.ts';
import { renderTable, type Column, type Style } from '../words/table.ts';
import { latencyLimitText, shownLatency } from './capacity-facts.ts';
import { curveRows, type CurveRow } from './curve-rows.ts';

/** The curve as bars: a row a load, throughput and latency beside each other; '' without a step that says something. */
export function curveChart(capacity: Capacity, style: Style): string {
  const rows = curveRows(capacity);
  if (rows.length === 0) return '';
  const scale = scaleOf(rows, capacity);
  const right = 'right' as const;
  const columns: Column[] = [
    { head: 'LOAD', align: right },
    { head: 'turns/s', align: right },
    { head: '' },
    { head: shownLatency(capacity).metric, align: right },
    { head: '' },
    { head: '' },
  ];
  const width = barWidth(style.width);
  const cells = rows.map((row) => cellsOf(row, { scale, width, style }));
  return [renderTable(columns, cells, style), legend(capacity, scale, style)].join('\n');
}

/** Loads, figures and marks take 42 columns beside the bars. */
const barWidth = (width: number): number => Math.max(6, Math.min(36, Math.floor((width - 42) / 2)));

interface Scale {
  turnsPerSecond: number;
  latencyMs: number;
  /** `null`: there is none, or it is beyond the scale. */
  limitMs: number | null;
}

/** How many times as long as what holds a bar may be: one load that hardly answers would flatten all others. */
const beyond = 2.5;

function scaleOf(rows: readonly CurveRow[], capacity: Capacity): Scale {
  const { limitMs } = shownLatency(capacity);
  const most = (values: readonly (number | null)[]): number => Math.max(0, ...values.map((value) => value ?? 0));
  const held = most(rows.map(({ verdict, latencyMs }) => (verdict === 'holds' ? latencyMs : null)));
  const longest = most(rows.map(({ latencyMs }) => latencyMs));
  const shown = Math.max(held, limitMs ?? 0) * beyond;
  const latencyMs = shown > 0 ? Math.min(longest, shown) : longest;
  return {
    turnsPerSecond: most(rows.map((row) => row.turnsPerSecond)),
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
  const paint = paints(style.colors)[row.verdict];
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

const paints = (colors: Style['colors']) => ({
  holds: colors.green,
  broken: colors.red,
  mixed: colors.yellow,
  undecided: colors.yellow,
});

/** The ends and the knee, and what stands out of a load that is neither. */
function markText({ marks, verdict, isSaturated }: CurveRow): string {
  const isEnd = marks.includes('holds') || marks.includes('broken');
  const shown = [
    ...marks.map((mark) => (mark === 'knee' ? 'knee' : mark.toUpperCase())),
    ...(verdict === 'mixed' ? ['both'] : isEnd || verdict === 'holds' ? [] : [verdict === 'broken' ? 'x' : '?']),
    ...(isSaturated ? ['sat.'] : []),
  ];
  return shown.join(' ');
}

function legend(capacity: Capacity, { limitMs, latencyMs }: Scale, { width, colors }: Style): string {
  const text = [
    `load in ${loadUnitTexts[capacity.by]}`,
    ...(limitMs === null ? [] : [`│ the limit of ${shownLatency(capacity).metric}, ${latencyLimitText(limitMs)}`]),
    `» longer than ${formatMs(latencyMs)}`,
    'x broken, ? undecided, both: steps disagree, sat.: more came than was served',
  ].join('; ');
  return paragraph(text, { width, paint: colors.dim });
}
