import type { Trend } from '../../compare/trend/trend.ts';
import type { Ending } from '../words/renderer.ts';
import type { Style } from '../words/table.ts';
import { renderTrend } from './render-trend.ts';
import { trendVerdictLine } from './trend-words.ts';

/** The tables of a trend, the file of its history and the line of its verdict, where it has them. */
export function renderTrendTerminal(trend: Trend, style: Style, { kept }: Ending): string {
  const history = kept === undefined ? [] : [`\nhistory   ${kept}`];
  const verdict = trendVerdictLine(trend);
  return [renderTrend(trend, style), ...history, ...(verdict === null ? [] : [verdict])].join('\n');
}
