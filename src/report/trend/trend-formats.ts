import { trendSchema, type Trend } from '../../compare/trend/trend.ts';
import { asJson, type Ending, type Renderable } from '../words/renderable.ts';
import { failedLine } from '../words/last-line.ts';
import type { Style } from '../words/table.ts';
import { renderTrendMarkdown } from './render-trend-markdown.ts';
import { renderTrend } from './render-trend.ts';

export const trendFormats: Renderable<Trend> = {
  schema: trendSchema,
  formats: { terminal: inWords, markdown: renderTrendMarkdown, json: asJson },
};

function inWords(trend: Trend, style: Style, { kept }: Ending): string {
  const history = kept === undefined ? [] : [`\nhistory   ${kept}`];
  return [renderTrend(trend, style), ...history, ...verdictLines(trend)].join('\n');
}

/** Where a verdict was asked for, the last line says it, like that of a run. */
function verdictLines({ alarm }: Trend): string[] {
  if (alarm === null) return [];
  return [alarm.date === null ? 'PASSED' : failedLine(`a gated metric changed in the night of ${alarm.date}`)];
}
