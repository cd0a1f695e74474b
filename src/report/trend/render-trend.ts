import type { Trend, TrendEvent, TrendGroup } from '../../compare/trend/trend.ts';
import { fittingTable } from '../words/fitting-table.ts';
import { paragraph } from '../words/paragraph.ts';
import type { Style } from '../words/table.ts';
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

/** Renders a trend as text for a terminal, within the style's width. */
export function renderTrend(trend: Trend, style: Style): string {
  const { colors, width } = style;
  const leftOut = leftOutText(trend);
  const warnings = warningTexts(trend).map((text) =>
    paragraph(text, { width, first: `${colors.yellow('warning')}   ` }),
  );
  const sections = [
    [
      paragraph(scopeText(trend), { width, first: 'trend     ' }),
      paragraph(headlineText(trend), { width, first: 'changes   ' }),
    ].join('\n'),
    ...shownSeries(trend).flatMap((group) => seriesSections(group, trend, style)),
    ...(leftOut === null ? [] : [paragraph(leftOut, { width })]),
    ...(warnings.length === 0 ? [] : [warnings.join('\n')]),
  ];
  return sections.join('\n\n');
}

function seriesSections(group: TrendGroup, trend: Trend, style: Style): string[] {
  const { colors, width } = style;
  const quiet = quietText(group);
  return [
    [
      paragraph(seriesText(group, trend), { width, paint: colors.bold }),
      paragraph(placeText(group), { width, paint: colors.dim }),
    ].join('\n'),
    ...(trendRows(group).length === 0 ? [] : [metricTable(group, style)]),
    ...nightTexts(group).map((text) => paragraph(text, { width })),
    ...(quiet === null ? [] : [quiet]),
    // The newest first: it matters most.
    ...group.events.toReversed().map((event) => eventLines(event, group, style)),
  ];
}

/** Room for a sparkline beside names, figures and dates in 80 columns. */
const leastSpark = 12;
const mostSpark = 60;

function metricTable(group: TrendGroup, style: Style): string {
  const rows = trendRows(group);
  const widest = (texts: readonly string[], head: string): number =>
    Math.max(head.length, ...texts.map((text) => text.length));
  const taken =
    widest(
      rows.map(({ name }) => name),
      'METRIC',
    ) +
    widest(
      rows.map(({ last }) => last),
      'last',
    ) +
    widest(
      rows.map(({ change }) => change),
      'change',
    );
  const most = Math.min(mostSpark, Math.max(leastSpark, style.width - taken - 6));
  const columns = [
    { head: 'METRIC' },
    { head: 'last', align: 'right' as const },
    { head: 'by sitting', goes: 1 },
    { head: 'change' },
  ];
  const cells = rows.map(({ name, last, spark, change }) => [name, last, spark(most), change]);
  return fittingTable(columns, cells, style).text;
}

function eventLines(event: TrendEvent, group: TrendGroup, { colors, width }: Style): string {
  const name = nightName(group, event.night);
  const first = `${colors.bold(name)}: `;
  const indent = ' '.repeat(name.length + 2);
  return [
    ...event.metrics.map((change, index) =>
      paragraph(changeText(change, group), {
        width,
        first: index === 0 ? first : indent,
        paint: change.direction === 'worse' ? colors.red : colors.green,
      }),
    ),
    paragraph(originText(event), { width, first: indent }),
  ].join('\n');
}
