import type { Trend, TrendGroup } from '../../../compare/trend/trend.ts';
import { nightName, seriesName } from '../../trend/series-words.ts';
import {
  changeText,
  headlineText,
  leftOutText,
  originText,
  shownSeries,
  trendVerdictLine,
} from '../../trend/trend-words.ts';
import { clean } from '../../words/paragraph.ts';
import type { Verdict } from '../page.ts';

/** The last line of the terminal where a verdict was asked for; else how many changes there are, and what was not searched. */
export function viewTrendVerdict(trend: Trend): Verdict {
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

/** The newest change of a series, by the metric that shows it most clearly. */
function newestNote(group: TrendGroup, trend: Trend): string[] {
  const event = group.events.at(-1);
  const [clearest] = event?.metrics ?? [];
  if (event === undefined || clearest === undefined) return [];
  return [
    `${seriesName(group, trend)}, ${nightName(group, event.night)}: ${changeText(clearest, group)}; ${originText(event)}`,
  ];
}
