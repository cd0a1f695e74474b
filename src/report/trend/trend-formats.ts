import { trendSchema, type Trend } from '../../compare/trend/trend.ts';
import { asJson, type Ending, type Renderable } from '../words/renderable.ts';
import type { Style } from '../words/table.ts';
import { renderTrendMarkdown } from './render-trend-markdown.ts';
import { renderTrend } from './render-trend.ts';
import { trendVerdictLine } from './trend-words.ts';

export const trendFormats: Renderable<Trend> = {
  schema: trendSchema,
  formats: { terminal: inWords, markdown: renderTrendMarkdown, json: asJson },
};

function inWords(trend: Trend, style: Style, { kept }: Ending): string {
  const history = kept === undefined ? [] : [`\nhistory   ${kept}`];
  const verdict = trendVerdictLine(trend);
  return [renderTrend(trend, style), ...history, ...(verdict === null ? [] : [verdict])].join('\n');
}
