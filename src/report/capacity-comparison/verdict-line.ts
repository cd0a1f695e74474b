import type { CapacityComparison } from '../../capacity/compare/capacity-comparison.ts';
import { lastLine } from '../words/last-line.ts';
import { clean } from '../words/paragraph.ts';

/** The line that its text ends with, as that of a comparison of results: `PASSED`, `FAILED: why` or `INVALID: why`. */
export function capacityComparisonLine(comparison: CapacityComparison): string {
  const { verdict, failOnInconclusive, comparability } = comparison;
  const why = shortly(comparison.summary);
  switch (verdict) {
    case 'not_comparable':
      return lastLine('INVALID', `${why}: ${comparability.refusals.map(({ message }) => clean(message)).join('; ')}`);
    case 'regressed':
      return lastLine('FAILED', why);
    case 'inconclusive':
      return failOnInconclusive ? lastLine('FAILED', why) : lastLine('PASSED', `but inconclusive: ${why}`);
    case 'improved':
    case 'unchanged':
      return lastLine('PASSED', why);
  }
}

function shortly(summary: string): string {
  const text = clean(summary).replace(/\.$/, '');
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
}
