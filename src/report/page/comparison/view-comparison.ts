import type { Comparison } from '../../../compare/document/comparison.ts';
import type { Result } from '../../../result/result.ts';
import { comparisonFacts, opponents } from '../../comparison/comparison-words.ts';
import { clean } from '../../words/paragraph.ts';
import type { Page } from '../page.ts';
import { designSection } from './design-section.ts';
import { confirmationSection, errorSection } from './brief-sections.ts';
import { informationalSection } from './informational-section.ts';
import { metricSection } from './metric-section.ts';
import { isRefused, refusalSection } from './refusal-section.ts';
import { runSection } from './run-section.ts';
import { shapeSection } from './shape-section.ts';
import { timelinesOf } from './side-timelines.ts';
import { timeSection } from './time-section.ts';
import { viewVerdict } from './view-verdict.ts';

/** A comparison as a page. `runs`: results of the runs compared, as far as they are at hand; they are drawn over time. */
export function viewComparison(comparison: Comparison, runs: readonly Result[] = []): Page {
  const refused = isRefused(comparison);
  const timelines = refused ? [] : timelinesOf(comparison, runs);
  const sections = [
    refusalSection(comparison),
    metricSection(comparison),
    confirmationSection(comparison),
    shapeSection(comparison),
    errorSection(comparison),
    ...(refused ? [] : [timeSection(timelines)]),
    informationalSection(comparison),
    runSection(comparison),
    designSection(comparison),
  ];
  return {
    kind: 'comparison',
    title: opponents(comparison),
    facts: [...comparisonFacts(comparison), { name: 'chat-load', text: clean(comparison.toolVersion) }],
    verdict: viewVerdict(comparison),
    sections: sections.filter(({ blocks }) => blocks.length > 0),
    timelines: timelines.map(({ timeline }) => timeline),
  };
}
