import type { Trend, TrendEvent, TrendGroup } from '../../compare/trend/trend.ts';
import { codeMarkdown, escapeMarkdown, markdownTable, type MarkdownColumn } from '../words/markdown-text.ts';
import {
  changeText,
  headlineText,
  leftOutText,
  nightTexts,
  originText,
  quietText,
  scopeText,
  shownSeries,
  trendRows,
  warningTexts,
} from './trend-words.ts';
import { nightName, placeText, seriesText } from './series-words.ts';

/** Renders a trend as Markdown, for a page or a summary of a nightly job. */
export function renderTrendMarkdown(trend: Trend): string {
  const leftOut = leftOutText(trend);
  const warnings = warningTexts(trend);
  const sections = [
    escapeMarkdown(`Trend of ${scopeText(trend)}. ${headlineText(trend)}.`),
    ...shownSeries(trend).flatMap((group) => seriesSections(group, trend)),
    ...(leftOut === null ? [] : [escapeMarkdown(leftOut)]),
    ...(warnings.length === 0 ? [] : [warnings.map((text) => `> Warning: ${escapeMarkdown(text)}`).join('\n>\n')]),
  ];
  return sections.join('\n\n');
}

function seriesSections(group: TrendGroup, trend: Trend): string[] {
  const quiet = quietText(group);
  return [
    `### ${escapeMarkdown(seriesText(group, trend))}`,
    ...(quiet === null ? [] : [quiet]),
    ...(group.events.length === 0
      ? []
      : [
          group.events
            .toReversed()
            .map((event) => eventItem(event, group))
            .join('\n'),
        ]),
    ...(trendRows(group).length === 0 ? [] : [metricTable(group)]),
    ...nightTexts(group).map(escapeMarkdown),
    escapeMarkdown(placeText(group)),
  ];
}

const mostSpark = 60;

const columns: readonly MarkdownColumn[] = [
  { head: 'metric' },
  { head: 'last', align: 'right' },
  { head: 'by sitting' },
  { head: 'change' },
];

const metricTable = (group: TrendGroup): string =>
  markdownTable(
    columns,
    trendRows(group).map(({ name, last, spark, change }) => [
      codeMarkdown(name),
      escapeMarkdown(last),
      codeMarkdown(spark(mostSpark)),
      escapeMarkdown(change),
    ]),
  );

const eventItem = (event: TrendEvent, group: TrendGroup): string =>
  [
    `- **${nightName(group, event.night)}**, ${escapeMarkdown(originText(event))}:`,
    ...event.metrics.map((change) => `  - ${change.direction}: ${escapeMarkdown(changeText(change, group))}`),
  ].join('\n');
