import type { Comparison, ShiftPoint } from '../../compare/document/comparison.ts';
import { gateGroups, movers, notes, rowOf, undecided, type GroupName } from './comparison-rows.ts';
import { changedParts, shiftCells } from './comparison-where.ts';
import {
  comparisonWarnings,
  confirmationTexts,
  designText,
  differenceText,
  foundText,
  opponents,
  refusalWayText,
  sideText,
  targetText,
  verdictWords,
  whyText,
} from './comparison-words.ts';
import { countOf, formatCount } from '../words/format.ts';
import { codeMarkdown, escapeMarkdown, markdownDetails, markdownList, markdownTable } from '../words/markdown-text.ts';

const right = 'right' as const;

/** Renders a comparison as Markdown for a pull request: the verdict and the gate table, the rest to be opened. */
export function renderComparisonMarkdown(comparison: Comparison): string {
  const { localization: where, verdict } = comparison;
  const sections = [
    `### ${verdictWords[verdict]}: ${escapeMarkdown(opponents(comparison))}`,
    escapeMarkdown(foundText(comparison)),
    refusalSection(comparison),
    familySection(comparison),
    where === null || where.shape === 'none' ? '' : escapeMarkdown(where.summary),
    markdownList(confirmationTexts(comparison).map(escapeMarkdown)),
    undecidedSection(comparison),
    whereSection(comparison),
    moverSection(comparison),
    warningSection(comparison),
    runSection(comparison),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

function refusalSection({ comparability }: Comparison): string {
  const { refusals, forced } = comparability;
  if (refusals.length === 0) return '';
  const head = forced ? 'Compared anyway (`--force`), although:' : 'Refused, because:';
  const items = refusals.map(({ remedy, ...each }) =>
    [differenceText(each), each.message, ...(remedy === null || forced ? [] : [remedy])]
      .map(escapeMarkdown)
      .join('<br>'),
  );
  const way = refusalWayText(comparability, '`--force`');
  return [head, '', markdownList(items), ...(forced ? [] : ['', way])].join('\n');
}

const groupWords: Readonly<Record<GroupName, string>> = {
  regressed: '**REGRESSED**',
  no_data: '**no data**',
  inconclusive: '**inconclusive**',
  improved: 'improved',
  unchanged: 'unchanged',
  not_gated: 'not gated',
};

const figureColumns = ['base', 'head', 'change', '95 % interval'].map((head) => ({ head, align: right }));

function familySection(comparison: Comparison): string {
  const groups = gateGroups(comparison);
  if (groups.length === 0) return '';
  const columns = [
    { head: 'verdict' },
    { head: 'metric' },
    ...figureColumns,
    { head: 'margin', align: right },
    { head: 'adjusted p', align: right },
  ];
  const rows = groups.flatMap(({ name: group, metrics }) =>
    metrics.map((metric) => {
      const { name, base, head, change, range, margin, p } = rowOf(metric);
      return [groupWords[group], codeMarkdown(name), ...[base, head, change, range, margin, p].map(escapeMarkdown)];
    }),
  );
  return markdownTable(columns, rows);
}

function undecidedSection(comparison: Comparison): string {
  const metrics = undecided(comparison);
  const items = notes(comparison).map(([name, words]) => `${codeMarkdown(name)}: ${escapeMarkdown(words)}`);
  if (metrics.length + items.length === 0) return '';
  const columns = [{ head: 'metric' }, { head: 'smallest detectable change', align: right }, { head: 'why' }];
  const rows = metrics.map((metric) => {
    const { name, detectable } = rowOf(metric);
    return [codeMarkdown(name), escapeMarkdown(detectable), escapeMarkdown(whyText(metric, comparison.design))];
  });
  const table = metrics.length === 0 ? [] : [markdownTable(columns, rows)];
  const list = items.length === 0 ? [] : [markdownList(items)];
  const summary =
    metrics.length === 0 ? 'Notes' : `${countOf(metrics.length, 'metric')} not decided: why, and what would decide it`;
  return markdownDetails(summary, [...table, ...list].join('\n\n'));
}

function whereSection({ localization: where }: Comparison): string {
  if (where === null) return '';
  const parts = where.shape === 'none' ? [] : [{ title: 'TURN LATENCY', points: where.quantiles }];
  const tables = [...parts, ...changedParts(where)].map(({ title, points }) => shiftTable(title, points));
  const errors = where.errors
    .filter(({ isNew }) => isNew)
    .map((each) => [codeMarkdown(each.class), formatCount(each.base), formatCount(each.head)]);
  const columns = [{ head: 'new errors' }, { head: 'base', align: right }, { head: 'head', align: right }];
  const sections = [...tables, ...(errors.length === 0 ? [] : [markdownTable(columns, errors)])];
  return sections.length === 0 ? '' : markdownDetails('Where it changed', sections.join('\n\n'));
}

const shiftTable = (title: string, points: readonly ShiftPoint[]): string =>
  markdownTable(
    [{ head: title.toLowerCase() }, ...figureColumns],
    points.map((point) => shiftCells(point).map(escapeMarkdown)),
  );

function moverSection(comparison: Comparison): string {
  const { shown, left } = movers(comparison);
  if (shown.length === 0) return '';
  const rows = shown.map((metric) => {
    const { name, base, head, change, range, direction } = rowOf(metric);
    return [codeMarkdown(name), ...[base, head, change, range, direction].map(escapeMarkdown)];
  });
  const more = left === 0 ? [] : [`${countOf(left, 'other')} moved less.`];
  const table = markdownTable([{ head: 'metric' }, ...figureColumns, { head: '' }], rows);
  const summary = `${countOf(shown.length + left, 'more metric')} moved (informational: these never fail a comparison)`;
  return markdownDetails(summary, [table, ...more].join('\n\n'));
}

function warningSection(comparison: Comparison): string {
  const texts = comparisonWarnings(comparison);
  if (texts.length === 0) return '';
  return markdownDetails(countOf(texts.length, 'warning'), markdownList(texts.map(escapeMarkdown)));
}

function runSection(comparison: Comparison): string {
  const { base, head, design, verdict } = comparison;
  const items = [
    `base: ${sideText(base)}`,
    `head: ${sideText(head)}`,
    `target: ${targetText(comparison)}`,
    ...(verdict === 'not_comparable' ? [] : [`design: ${designText(design)}`]),
    ...[...base.runs, ...head.runs].map(({ id, file }) => `run ${id}${file === null ? '' : `: ${file}`}`),
  ];
  return markdownDetails('Runs', markdownList(items.map(escapeMarkdown)));
}
