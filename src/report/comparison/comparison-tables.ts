import type { Comparison, MetricComparison } from '../../compare/document/comparison.ts';
import { countOf } from '../words/format.ts';
import {
  gateGroups,
  groupTexts,
  movers,
  notes,
  rowOf,
  undecided,
  type ComparisonRow,
  type GroupName,
} from './comparison-rows.ts';
import { whyText } from './comparison-words.ts';
import { fittingTable, type FittingColumn } from '../words/fitting-table.ts';
import { paragraph } from '../words/paragraph.ts';
import type { Style } from '../words/table.ts';

const right = 'right' as const;

/** The gate family, by verdict: one table, so that figures align; '' where nothing was compared. */
export function familyTable(comparison: Comparison, style: Style): string {
  const groups = gateGroups(comparison);
  if (groups.length === 0) return '';
  const rows = groups.flatMap(({ name, metrics }) => [
    [paintGroup(name, style)],
    ...metrics.map((metric) => cells(rowOf(metric))),
  ]);
  const { text, leftOut } = fittingTable(familyColumns, rows, style);
  return `${text}\n${legend(comparison, leftOut, style)}`;
}

const familyColumns: readonly FittingColumn[] = [
  { head: 'METRIC' },
  { head: 'base', align: right },
  { head: 'head', align: right },
  { head: 'change', align: right },
  { head: '95 % interval', align: right, goes: 1 },
  { head: 'margin', align: right, goes: 2 },
  { head: 'p', align: right, goes: 3 },
];

const cells = ({ name, base, head, change, range, margin, p }: ComparisonRow): string[] => [
  name,
  base,
  head,
  change,
  range,
  margin,
  p,
];

function paintGroup(name: GroupName, { colors }: Style): string {
  const word = groupTexts[name].toUpperCase();
  switch (name) {
    case 'regressed':
      return colors.red(word);
    case 'no_data':
    case 'inconclusive':
      return colors.yellow(word);
    case 'improved':
    case 'unchanged':
      return colors.green(word);
    case 'not_gated':
      return word;
  }
}

function legend(comparison: Comparison, leftOut: readonly string[], { colors, width }: Style): string {
  const texts = [
    ...legendTexts(comparison),
    ...(leftOut.length === 0 ? [] : [`No room here for: ${leftOut.join(', ')}.`]),
  ];
  return paragraph(texts.join(' '), { width, paint: colors.dim });
}

/** How the columns of the gate family are to be read. */
export function legendTexts({ metrics }: Comparison): string[] {
  const gated = metrics.filter(({ isGated }) => isGated);
  return [
    `p is adjusted for ${countOf(gated.length, 'metric')}, intervals are not.`,
    ...(gated.some(({ unit }) => unit === 'share') ? ['pp: percentage points.'] : []),
  ];
}

/** What the column of the smallest detectable changes holds. */
export const detectableLegend = 'Finds from: the smallest change found in four of five such comparisons.';
export const informationalLegend = 'Informational: these never fail a comparison.';

/** What was not decided, what would decide it and what would have been found; '' where all was decided. */
export function undecidedTable(comparison: Comparison, style: Style): string {
  const metrics = undecided(comparison);
  if (metrics.length === 0) return '';
  const columns: FittingColumn[] = [
    { head: 'NOT DECIDED' },
    { head: 'finds from', align: right, goes: 2 },
    { head: 'why, and what would decide it', least: 16, goes: 1 },
  ];
  const rows = metrics.map((metric) => [
    rowOf(metric).name,
    rowOf(metric).detectable,
    whyText(metric, comparison.design),
  ]);
  return [
    fittingTable(columns, rows, style).text,
    paragraph(detectableLegend, { width: style.width, paint: style.colors.dim }),
  ].join('\n');
}

/** Notes on gated metrics; '' where there are none. */
export function noteLines(comparison: Comparison, { width }: Style): string {
  return notes(comparison)
    .map(([name, words]) => paragraph(`${name}: ${words}`, { width, first: 'note      ' }))
    .join('\n');
}

/** Informational metrics that moved; '' where none did. */
export function moverTable(comparison: Comparison, style: Style): string {
  const { shown, left } = movers(comparison);
  if (shown.length === 0) return '';
  const columns: FittingColumn[] = [
    { head: 'ALSO MOVED' },
    { head: 'base', align: right, goes: 2 },
    { head: 'head', align: right, goes: 1 },
    { head: 'change', align: right },
    { head: '95 % interval', align: right, goes: 3 },
    { head: '' },
  ];
  const rows = shown.map((metric: MetricComparison) => {
    const { name, base, head, change, range, direction } = rowOf(metric);
    return [name, base, head, change, range, direction];
  });
  const more = left === 0 ? '' : ` ${countOf(left, 'other')} moved less: --format json has them.`;
  const text = `${informationalLegend}${more}`;
  return [
    fittingTable(columns, rows, style).text,
    paragraph(text, { width: style.width, paint: style.colors.dim }),
  ].join('\n');
}
