import type { EventChange, PublishedMetric, Trend, TrendEvent, TrendGroup } from '../../compare/trend/trend.ts';
import {
  asIs,
  heads,
  text,
  warningWord,
  type OutlineBlock,
  type OutlineTable,
  type Section,
} from '../outline/outline.ts';
import { writePage } from '../outline/write-page.ts';
import type { Page, Verdict } from '../page/page.ts';
import { formatCount } from '../../base/format.ts';
import { formatChange, formatFigure, formatP, formatRange } from '../words/format-change.ts';
import { escapeMarkdown } from '../words/markdown-text.ts';
import { clean, paragraph } from '../words/paragraph.ts';
import { pageOfOne, type Ending, type Report } from '../outline/report.ts';
import type { Style } from '../words/table.ts';
import { metricLines } from './metric-lines.ts';
import {
  nightName,
  placeText,
  seriesName,
  seriesText,
  changeText,
  commitsText,
  headlineText,
  isDegraded,
  leftOutText,
  nightTexts,
  originText,
  quietText,
  scopeText,
  shownSeries,
  trendRows,
  trendVerdictLine,
  warningTexts,
} from './trend-words.ts';

const right = 'right' as const;

/** Report of a trend. */
export const trendReport: Report<Trend> = { outline: trendOutline, page: pageOfOne(viewTrend) };

/** Builds the sections of a trend: its scope, then every series with its changes. */
export function trendOutline(trend: Trend, { kept }: Ending = {}): Section[] {
  const texts = warningTexts(trend);
  const warning = texts.map((text) => `> Warning: ${escapeMarkdown(text)}`).join('\n>\n');
  const ends = [kept === undefined ? '' : `history   ${kept}`, trendVerdictLine(trend) ?? ''].map((line) => asIs(line));
  return [
    {
      on: ['terminal'],
      blocks: [
        {
          type: 'facts',
          facts: [
            { name: 'trend', text: scopeText(trend) },
            { name: 'changes', text: headlineText(trend) },
          ],
        },
      ],
    },
    { on: ['markdown'], blocks: [text(`Trend of ${scopeText(trend)}. ${headlineText(trend)}.`)] },
    ...shownSeries(trend).flatMap((group, index) => seriesSections(group, { trend, index })),
    { blocks: [text(leftOutText(trend) ?? '')] },
    { on: ['markdown'], blocks: [{ type: 'made', markdown: warning }] },
    { on: ['terminal'], blocks: [{ type: 'list', texts, first: warningWord }] },
    { on: ['terminal'], blocks: ends, isTight: kept === undefined },
    skippedSection(trend),
  ];
}

function seriesSections(group: TrendGroup, { trend, index }: { trend: Trend; index: number }): Section[] {
  const heading: OutlineBlock = { type: 'heading', text: seriesText(group, trend) };
  const quiet = quietText(group);
  const why = quiet === null ? [] : [asIs(quiet)];
  const metrics = metricTable(group);
  const newest = group.events.toReversed();
  return [
    { on: ['terminal'], blocks: [heading, text(placeText(group), 'dim')] },
    { on: ['terminal'], blocks: [metrics] },
    ...[...nightTexts(group).map((words) => text(words)), ...why].map((block): Section => ({
      on: ['terminal'],
      blocks: [block],
    })),
    // The newest change matters most.
    ...newest.map((event): Section => ({
      on: ['terminal'],
      blocks: [{ type: 'made', terminal: (style) => eventLines(event, group, style) }],
    })),
    {
      on: ['markdown'],
      blocks: [
        heading,
        { type: 'made', markdown: quiet ?? newest.map((event) => eventItem(event, group)).join('\n') },
        metrics,
        ...[...nightTexts(group), placeText(group)].map((words) => text(words)),
      ],
    },
    ...pageSections(group, { trend, id: `series-${String(index + 1)}` }),
  ];
}

const metricTable = (group: TrendGroup): OutlineTable => ({
  type: 'table',
  title: 'Metrics',
  columns: [
    { head: 'metric', markdown: 'code' },
    ...heads('>last'),
    { head: 'by batch', goes: 1, markdown: 'code', on: ['terminal', 'markdown'] },
    ...heads('change'),
  ],
  rows: trendRows(group).map(({ name, last, spark, change, direction }) => ({
    cells: [name, last, spark, change],
    state: direction === null ? 'plain' : direction === 'worse' ? 'bad' : 'good',
  })),
});

function eventLines(event: TrendEvent, group: TrendGroup, { colors, width }: Style): string {
  const name = nightName(group, event.night);
  const first = `${colors.bold(name)}: `;
  const indent = ' '.repeat(name.length + 2);
  const changes = event.metrics.map((change, index) =>
    paragraph(changeText(change, group), {
      width,
      first: index === 0 ? first : indent,
      paint: change.direction === 'worse' ? colors.red : colors.green,
    }),
  );
  return [...changes, paragraph(originText(event), { width, first: indent })].join('\n');
}

const eventItem = (event: TrendEvent, group: TrendGroup): string =>
  [
    `- **${nightName(group, event.night)}**, ${escapeMarkdown(originText(event))}:`,
    ...event.metrics.map((change) => `  - ${change.direction}: ${escapeMarkdown(changeText(change, group))}`),
  ].join('\n');

/** Builds the page sections of a series: changes, gated metrics, informational metrics, and nights. */
function pageSections(group: TrendGroup, { trend, id }: { trend: Trend; id: string }): Section[] {
  const name = seriesName(group, trend);
  const quiet = quietText(group);
  const linesOf = (isGated: boolean) =>
    group.metrics.flatMap((metric, at) =>
      metric.isGated === isGated ? metricLines(metric, { group, id: chartId(id, metric, at) }) : [],
    );
  const { columns, ...metrics } = metricTable(group);
  const changes = group.events
    .toReversed()
    .flatMap((event) => event.metrics.map((change) => changeRow(change, event, group)));
  return [
    {
      on: ['page'],
      page: { id, title: seriesText(group, trend), lead: placeText(group) },
      blocks: [
        ...[...(quiet === null ? [] : [quiet]), ...nightTexts(group, '')].map((words) => text(words)),
        { type: 'table', title: 'Changes', columns: changeColumns, rows: changes },
        {
          ...metrics,
          columns: columns.map((column) => (column.head === 'change' ? { ...column, align: right } : column)),
        },
        ...linesOf(true),
      ],
    },
    {
      on: ['page'],
      page: {
        id: `${id}-informational`,
        title: `${name}: informational metrics`,
        lead: 'These never fail a comparison.',
      },
      blocks: linesOf(false),
    },
    {
      on: ['page'],
      page: { id: `${id}-nights`, title: `${name}: batches of runs`, lead: '' },
      blocks: [
        {
          type: 'table',
          title: 'Batches of runs',
          columns: heads('date', '>runs', '>degraded', 'commit', 'batch', 'first result'),
          rows: group.nights.map((night, at) => nightRow(night, nightName(group, at))).toReversed(),
        },
      ],
    },
  ];
}

/** Returns the id of a chart; the number makes it unique, whatever the name contains. */
const chartId = (id: string, { name }: PublishedMetric, at: number): string =>
  `${id}-${String(at + 1)}-${name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)}`;

const changeColumns = heads(
  ...['date', 'metric', '', '>change', '>95 % interval', '>before', '>after', '>p'],
  ...['first in', 'commits', '>batches since'],
);

function changeRow(change: EventChange, event: TrendEvent, group: TrendGroup): OutlineTable['rows'][number] {
  const { name, direction, ci95, before, after, p } = change;
  const unit = group.metrics.find((metric) => metric.name === name)?.unit ?? 'ms';
  const figures = [formatChange(change.change, unit), formatRange(ci95, unit)];
  const ends = [before, after].map((value) => formatFigure(value, unit));
  const origin = [event.file, commitsText(event.commits), formatCount(event.nightsSince)];
  return {
    cells: [nightName(group, event.night), name, direction, ...figures, ...ends, formatP(p), ...origin],
    state: direction === 'worse' ? 'bad' : 'good',
  };
}

function nightRow(night: TrendGroup['nights'][number], name: string): OutlineTable['rows'][number] {
  const { runs, degraded, commit, sitting, file } = night;
  const counts = [formatCount(runs), formatCount(degraded)];
  return {
    cells: [name, ...counts, commit ?? '-', sitting ?? '-', file],
    state: isDegraded(night) ? 'doubtful' : 'plain',
  };
}

/** Unusable files and their problems. */
const skippedSection = ({ skipped }: Trend): Section => ({
  on: ['page'],
  page: { id: 'skipped', title: 'Skipped files', lead: '' },
  blocks: [
    {
      type: 'table',
      title: 'Skipped files',
      columns: heads('file', 'reason'),
      rows: skipped.map(({ file, problem }) => ({ cells: [file, problem], state: 'doubtful' })),
    },
  ],
});

/** Builds the page of a trend: the series that the terminal shows, with each metric over its nights. */
export function viewTrend(trend: Trend): Page {
  const shown = shownSeries(trend);
  const names = new Set(shown.map(({ scenario }) => clean(scenario.name)));
  const facts = [
    { name: 'trend', text: scopeText(trend) },
    ...shown.map((group) => ({ name: 'series', text: seriesText(group, trend) })),
    { name: 'chat-load', text: clean(trend.toolVersion) },
  ];
  const title = ['Trend', ...(names.size === 0 ? [] : [[...names].join(', ')])].join(': ');
  return writePage({ kind: 'trend', title, facts, verdict: verdictOf(trend) }, trendOutline(trend));
}

/** Returns the requested verdict, or the number of changes and the series that were not searched. */
function verdictOf(trend: Trend): Verdict {
  const { alarm, warnings } = trend;
  const leftOut = leftOutText(trend);
  const notes = [
    ...shownSeries(trend).flatMap((group) => newestNote(group, trend)),
    ...(leftOut === null ? [] : [leftOut]),
    ...warnings,
  ];
  return {
    state: alarm === null ? 'neutral' : alarm.date === null ? 'passed' : 'failed',
    sentence: trendVerdictLine(trend) ?? headlineText(trend),
    notes: notes.map(clean),
  };
}

/** Describes the newest change of a series by its clearest metric. */
function newestNote(group: TrendGroup, trend: Trend): string[] {
  const event = group.events.at(-1);
  const [clearest] = event?.metrics ?? [];
  if (event === undefined || clearest === undefined) return [];
  return [
    `${seriesName(group, trend)}, ${nightName(group, event.night)}: ${changeText(clearest, group)}; ${originText(event)}`,
  ];
}
