import { comparisonSchema, type Comparison } from '../../compare/document/comparison.ts';
import { asJson, type Renderable } from '../words/renderable.ts';
import { renderComparisonJunit } from './comparison-junit.ts';
import { renderComparisonMarkdown } from './comparison-markdown.ts';
import { comparisonVerdictLine } from './comparison-verdict-line.ts';
import { renderComparison } from './render-comparison.ts';

export const comparisonFormats: Renderable<Comparison> = {
  schema: comparisonSchema,
  formats: {
    terminal: (comparison, style) => `${renderComparison(comparison, style)}\n\n${comparisonVerdictLine(comparison)}`,
    markdown: renderComparisonMarkdown,
    junit: renderComparisonJunit,
    json: asJson,
  },
};
