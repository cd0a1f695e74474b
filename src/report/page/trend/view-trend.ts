import type { Trend } from '../../../compare/trend/trend.ts';
import { seriesText } from '../../trend/series-words.ts';
import { scopeText, shownSeries } from '../../trend/trend-words.ts';
import { clean } from '../../words/paragraph.ts';
import type { Page } from '../page.ts';
import { seriesSections } from './series-sections.ts';
import { skippedSection } from './skipped-section.ts';
import { viewTrendVerdict } from './view-trend-verdict.ts';

/** A trend as a page: the series that the terminal shows, each metric over its nights. */
export function viewTrend(trend: Trend): Page {
  const shown = shownSeries(trend);
  const sections = [...shown.flatMap((group, index) => seriesSections(group, { trend, index })), skippedSection(trend)];
  const names = new Set(shown.map(({ scenario }) => clean(scenario.name)));
  return {
    kind: 'trend',
    title: ['Trend', ...(names.size === 0 ? [] : [[...names].join(', ')])].join(': '),
    facts: [
      { name: 'trend', text: scopeText(trend) },
      ...shown.map((group) => ({ name: 'series', text: seriesText(group, trend) })),
      { name: 'chat-load', text: clean(trend.toolVersion) },
    ],
    verdict: viewTrendVerdict(trend),
    sections: sections.filter(({ blocks }) => blocks.length > 0),
    timelines: [],
  };
}
