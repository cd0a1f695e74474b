import { resultSchema, type Result } from '../../result/result.ts';
import { asJson, type Ending, type Renderable } from '../words/renderable.ts';
import type { Style } from '../words/table.ts';
import { renderIntervalCsv } from './interval-csv.ts';
import { renderIntervalHlog } from './interval-hlog.ts';
import { renderResult } from './render-result.ts';
import { renderResultJunit } from './result-junit.ts';
import { renderResultMarkdown } from './result-markdown.ts';
import { verdictLine } from './verdict-line.ts';

export const resultFormats: Renderable<Result> = {
  schema: resultSchema,
  formats: {
    terminal: inWords,
    markdown: renderResultMarkdown,
    junit: renderResultJunit,
    csv: renderIntervalCsv,
    hlog: renderIntervalHlog,
    json: asJson,
  },
};

function inWords(result: Result, style: Style, { path, verdict = verdictLine(result) }: Ending): string {
  if (path === undefined) return `${renderResult(result, style)}\n\n${verdict}`;
  return `${renderResult(result, style, { verdict, path })}\n\nresult    ${path}\n${verdict}`;
}
