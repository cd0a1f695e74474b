import type { Trend, TrendGroup } from '../../../compare/trend/trend.ts';
import { changeText, leftOutText, originText, shownSeries, trendVerdictLine } from '../../trend/trend-words.ts';
import { countOf } from '../../words/format.ts';
import { clean } from '../../words/paragraph.ts';
import type { Verdict } from '../page.ts';

/** The last line of the terminal where a verdict was asked for; else how many changes there are. */
export function viewTrendVerdict(trend: Trend): Verdict {
  const { alarm, groups, warnings } = trend;
  const leftOut = leftOutText(trend);
  const notes = [...shownSeries(trend).flatMap(newestNote), ...(leftOut === null ? [] : [leftOut]), ...warnings];
  return {
    state: alarm === null ? 'neutral' : alarm.date === null ? 'passed' : 'failed',
    sentence: trendVerdictLine(trend) ?? countText(groups),
    notes: notes.map(clean),
  };
}

function countText(groups: readonly TrendGroup[]): string {
  const changes = groups.reduce((sum, { events }) => sum + events.length, 0);
  const scope = countOf(groups.length, 'series', 'series');
  return changes === 0 ? `No change in ${scope}` : `${countOf(changes, 'change')} in ${scope}`;
}

/** The newest change of a series, by the metric that shows it most clearly. */
function newestNote(group: TrendGroup): string[] {
  const event = group.events.at(-1);
  const [clearest] = event?.metrics ?? [];
  if (event === undefined || clearest === undefined) return [];
  return [`${group.scenario.name}, ${event.date}: ${changeText(clearest, group)}; ${originText(event)}`];
}
