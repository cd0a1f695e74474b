import { isWithoutVerdict } from '../../compare/trend/build-history.ts';
import type { EventChange, PublishedMetric, Trend, TrendEvent, TrendGroup } from '../../compare/trend/trend.ts';
import {
  asIs,
  factsOf,
  heads,
  list,
  made,
  table,
  text,
  warningWord,
  type OutlineBlock,
  type OutlineTable,
  type Section,
} from '../outline/outline.ts';
import { writePage } from '../outline/write-page.ts';
import type { Page, Verdict } from '../page/page.ts';
import { formatCount } from '../../base/format.ts';
import { formatChange, formatP, formatRange, formatSides } from '../words/format-change.ts';
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
  spanText,
  changeText,
  commitsText,
  headlineText,
  omittedText,
  nightTexts,
  originText,
  quietText,
  scopeText,
  shownSeries,
  trendRows,
  trendVerdictLine,
  warningTexts,
} from './trend-text.ts';

export const trendReport: Report<Trend> = { outline: trendOutline, page: pageOfOne(viewTrend) };

/** Builds the sections of a trend: its scope, then every series with its changes. */
export function trendOutline(trend: Trend, { kept }: Ending = {}): Section[] {
  const texts = warningTexts(trend);
  const warning = texts.map((words) => `> Warning: ${escapeMarkdown(words)}`).join('\n>\n');
  const ends = [kept === undefined ? '' : `history   ${kept}`, trendVerdictLine(trend) ?? ''].map((line) => asIs(line));
  const facts = factsOf({ trend: scopeText(trend), changes: headlineText(trend) });
  return [
    { on: ['terminal'], blocks: [{ type: 'facts', facts }] },
    { on: ['markdown'], blocks: [text(`Trend of ${scopeText(trend)}. ${headlineText(trend)}.`)] },
    ...shownSeries(trend).flatMap((group, index) => seriesSections(group, trend, `series-${String(index + 1)}`)),
    { blocks: [text(omittedText(trend) ?? '')] },
    { blocks: [{ type: 'made', markdown: warning }] },
    { on: ['terminal'], blocks: [list(texts, { first: warningWord })] },
    { blocks: ends, isTight: kept === undefined },
    skippedSection(trend),
  ];
}

function seriesSections(group: TrendGroup, trend: Trend, id: string): Section[] {
  const heading: OutlineBlock = { type: 'heading', text: seriesText(group, trend) };
  const quiet = quietText(group);
  const metrics = metricTable(group, 'left');
  // The newest change matters most.
  const newest = group.events.toReversed();
  const inTerminal: OutlineBlock[][] = [
    [heading, text(placeText(group), 'dim')],
    [metrics],
    ...nightTexts(group).map((words) => [text(words)]),
    [asIs(quiet ?? '')],
    ...newest.map((event) => [made((style) => eventLines(event, group, style))]),
  ];
  return [
    ...inTerminal.map((blocks): Section => ({ on: ['terminal'], blocks })),
    {
      on: ['markdown'],
      blocks: [
        heading,
        { type: 'made', markdown: quiet ?? newest.map((event) => eventItem(event, group)).join('\n') },
        metrics,
        ...[...nightTexts(group), placeText(group)].map((words) => text(words)),
      ],
    },
    ...pageSections(group, trend, id),
  ];
}

/** Builds the table of the metrics; a page aligns changes right. */
const metricTable = (group: TrendGroup, align: 'left' | 'right'): OutlineTable =>
  table(
    'Metrics',
    [
      ...heads('`metric`', '>last'),
      { head: 'by batch', goes: 1, markdown: 'code', on: ['terminal', 'markdown'] },
      { head: 'change', align },
    ],
    trendRows(group).map(({ name, last, spark, change, direction }) => ({
      cells: [name, last, spark, change],
      state: direction === null ? 'plain' : direction === 'worse' ? 'bad' : 'good',
    })),
  );

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

/** Maximum number of rows of a table that is open at first. */
const maxOpenRows = 12;

/** Builds the page sections of a series: changes, gated metrics, informational metrics, and nights. */
function pageSections(group: TrendGroup, trend: Trend, id: string): Section[] {
  const name = seriesName(group, trend);
  const moved = new Set(group.events.flatMap((event) => event.metrics.map((change) => change.name)));
  const charted = group.metrics.map((metric, at) => ({ metric, id: chartId(id, metric, at) }));
  // Metrics that changed are listed first.
  const ordered = charted.toSorted((a, b) => Number(moved.has(b.metric.name)) - Number(moved.has(a.metric.name)));
  const linesOf = (isGated: boolean) =>
    ordered.flatMap(({ metric, id }) => (metric.isGated === isGated ? metricLines(metric, { group, id }) : []));
  const changes = group.events
    .toReversed()
    .flatMap((event) => event.metrics.map((change) => changeRow(change, event, group)));
  const nights = group.nights.map((night, at) => nightRow(group, night, at)).toReversed();
  const sections: Section[] = [
    {
      page: { id, title: name, lead: `${spanText(group)}; ${placeText(group)}` },
      blocks: [
        ...[quietText(group) ?? '', ...nightTexts(group, '')].map((words) => text(words)),
        ...linesOf(true),
        table('Changes', changeColumns, changes),
        metricTable(group, 'right'),
      ],
    },
    {
      page: {
        id: `${id}-informational`,
        isSecondary: true,
        title: `${name}: informational metrics`,
        lead: 'These never fail a comparison.',
      },
      blocks: linesOf(false),
    },
    {
      page: { id: `${id}-nights`, isSecondary: true, title: `${name}: batches of runs`, lead: '' },
      blocks: [
        table(
          'Batches of runs',
          heads('date', '>runs', '>degraded', 'omitted', 'commit', 'batch', 'first result'),
          nights,
          {
            isFolded: nights.length > maxOpenRows,
          },
        ),
      ],
    },
  ];
  return sections.map((section) => ({ ...section, on: ['page'] }));
}

/** Returns the id of a chart; the number makes it unique, whatever the name contains. */
const chartId = (id: string, { name }: PublishedMetric, at: number): string =>
  `${id}-${String(at + 1)}-${name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)}`;

const changeColumns = heads(
  ...['date', 'metric', 'direction', '>change', '>95 % interval', '>before', '>after', '>p'],
  ...['first in', 'commits', '>batches since'],
);

function changeRow(change: EventChange, event: TrendEvent, group: TrendGroup): OutlineTable['rows'][number] {
  const { name, direction, ci95, before, after, p } = change;
  const unit = group.metrics.find((metric) => metric.name === name)?.unit ?? 'ms';
  const figures = [formatChange(change.change, unit), formatRange(ci95, unit)];
  const ends = formatSides(before, after, unit);
  const origin = [event.file, commitsText(event.commits).replace(/^commits? /, ''), formatCount(event.nightsSince)];
  return {
    cells: [nightName(group, event.night), name, direction, ...figures, ...ends, formatP(p), ...origin],
    state: direction === 'worse' ? 'bad' : 'good',
  };
}

function nightRow(group: TrendGroup, night: TrendGroup['nights'][number], at: number): OutlineTable['rows'][number] {
  const isOmitted = ({ omitted }: PublishedMetric): boolean => omitted.some((each) => each.night === at);
  const omitted = group.metrics.filter(isOmitted).map(({ name }) => clean(name));
  const { runs, degraded, commit, sitting, file } = night;
  const counts = [formatCount(runs), formatCount(degraded)];
  return {
    cells: [nightName(group, at), ...counts, omitted.join(', ') || '-', commit ?? '-', sitting ?? '-', file],
    state: night.degraded > 0 || night.isDoubtful || night.lacksLatency ? 'doubtful' : 'plain',
  };
}

/** Lists unusable files and their problems. */
function skippedSection({ skipped }: Trend): Section {
  const rows = skipped.map(({ file, problem }) => ({ cells: [file, problem], state: 'doubtful' as const }));
  return {
    on: ['page'],
    page: { id: 'skipped', title: 'Skipped files', lead: '' },
    blocks: [table('Skipped files', heads('file', 'reason'), rows)],
  };
}

/** Builds the page of a trend: the series that the terminal shows, with each metric over its nights. */
export function viewTrend(trend: Trend): Page {
  const shown = shownSeries(trend);
  const names = new Set(shown.map(({ scenario }) => clean(scenario.name)));
  const facts = [
    { name: 'trend', text: scopeText(trend) },
    { name: 'chat-load', text: clean(trend.toolVersion) },
  ];
  const title = ['Trend', ...(names.size === 0 ? [] : [[...names].join(', ')])].join(': ');
  return writePage({ kind: 'trend', title, facts, verdict: verdictOf(trend) }, trendOutline(trend));
}

/** Returns the requested verdict, or the number of changes and the series that were not searched. */
function verdictOf(trend: Trend): Verdict {
  const { warnings } = trend;
  const omitted = omittedText(trend);
  const notes = [
    ...shownSeries(trend).flatMap((group) => newestNote(group, trend)),
    ...(omitted === null ? [] : [omitted]),
    ...warnings,
  ];
  return {
    state: stateOf(trend),
    sentence: trendVerdictLine(trend) ?? headlineText(trend),
    notes: notes.map(clean),
  };
}

function stateOf(trend: Trend): Verdict['state'] {
  if (trend.alarm === null) return 'neutral';
  if (trend.alarm.date !== null) return 'failed';
  return isWithoutVerdict(trend) ? 'invalid' : 'passed';
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
