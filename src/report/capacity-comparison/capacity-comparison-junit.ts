import type { CapacityComparison } from '../../capacity/compare/capacity-comparison.ts';
import { refusalText } from '../comparison/comparison-words.ts';
import { renderJunit, type JunitCase } from '../words/junit.ts';
import { clean } from '../words/paragraph.ts';
import { capacityComparisonFacts } from './comparison-facts.ts';

/** Renders a comparison of capacities as JUnit XML: one case, as those of gated metrics are. */
export function renderCapacityComparisonJunit(comparison: CapacityComparison): string {
  const starts = comparison.head.searches.map(({ startedAt }) => startedAt).toSorted();
  return renderJunit({
    name: `chat-load compare ${clean(comparison.scenario.name)}`,
    startedAt: clean(starts[0] ?? ''),
    elapsedMs: 0,
    cases: [caseOf(comparison)],
  });
}

function caseOf(comparison: CapacityComparison): JunitCase {
  const { verdict, summary, comparability, failOnInconclusive } = comparison;
  const message = clean(summary);
  const facts = capacityComparisonFacts(comparison).map(({ name, text }) => `${name}: ${text}`);
  const text = [message, ...facts].join('; ');
  const name = 'capacity';
  switch (verdict) {
    case 'not_comparable':
      return { name, error: { message, text: comparability.refusals.map(refusalText).join('; ') } };
    case 'regressed':
      return { name, failure: { message, text } };
    case 'inconclusive':
      return failOnInconclusive ? { name, failure: { message, text } } : { name, skipped: text };
    case 'improved':
    case 'unchanged':
      return { name, output: text };
  }
}
