import type { z } from 'zod';
import { printableJson } from '../base/printable.ts';
import { comparisonSchema, type Comparison } from '../compare/document/comparison.ts';
import { trendSchema, type Trend } from '../compare/trend/trend.ts';
import { resultSchema, type Result } from '../result/result.ts';
import { calibrationSchema, type Calibration } from '../result/sections/calibration.ts';
import { renderCalibration } from './calibration/render-calibration.ts';
import { renderComparisonJunit } from './comparison/comparison-junit.ts';
import { renderComparisonMarkdown } from './comparison/comparison-markdown.ts';
import { comparisonVerdictLine } from './comparison/comparison-verdict-line.ts';
import { renderComparison } from './comparison/render-comparison.ts';
import { renderIntervalCsv } from './run/interval-csv.ts';
import { renderIntervalHlog } from './run/interval-hlog.ts';
import { renderResult } from './run/render-result.ts';
import { renderResultJunit } from './run/result-junit.ts';
import { renderResultMarkdown } from './run/result-markdown.ts';
import { verdictLine } from './run/verdict-line.ts';
import { renderTrend } from './trend/render-trend.ts';
import { renderTrendMarkdown } from './trend/render-trend-markdown.ts';
import type { Format } from './formats.ts';
import type { Style } from './words/table.ts';

/** A kind of document: how it is read, and as what it can be rendered. The text ends without a line break. */
export interface Renderable<Document> {
  schema: z.ZodType<Document>;
  formats: Partial<Record<Format, (document: Document, style: Style) => string>>;
}

interface Documents {
  'chat-load/result': Result;
  'chat-load/comparison': Comparison;
  'chat-load/trend': Trend;
  'chat-load/calibration': Calibration;
}

const asJson = (document: object): string => printableJson(document, 2);

/** Every format of every document: a new one is a file and a line here. */
export const renderers: { readonly [Kind in keyof Documents]: Renderable<Documents[Kind]> } = {
  'chat-load/result': {
    schema: resultSchema,
    formats: {
      terminal: (result, style) => `${renderResult(result, style)}

${verdictLine(result)}`,
      markdown: renderResultMarkdown,
      junit: renderResultJunit,
      csv: renderIntervalCsv,
      hlog: renderIntervalHlog,
      json: asJson,
    },
  },
  'chat-load/comparison': {
    schema: comparisonSchema,
    formats: {
      terminal: (comparison, style) =>
        `${renderComparison(comparison, style)}\n\n${comparisonVerdictLine(comparison, { failOnInconclusive: false })}`,
      markdown: renderComparisonMarkdown,
      junit: (comparison) => renderComparisonJunit(comparison),
      json: asJson,
    },
  },
  'chat-load/trend': {
    schema: trendSchema,
    formats: { terminal: renderTrend, markdown: renderTrendMarkdown, json: asJson },
  },
  'chat-load/calibration': { schema: calibrationSchema, formats: { terminal: renderCalibration, json: asJson } },
};
