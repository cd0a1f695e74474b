import type { Comparison } from '../../compare/document/comparison.ts';
import { sayFinding } from '../../compare/verdict-of.ts';
import { clean } from '../words/paragraph.ts';
import { countOf } from '../words/format.ts';
import { oneLine } from '../words/one-line.ts';

/** The line that the text of a comparison ends with, like that of a run: `PASSED`, `FAILED: why` or `INVALID: why`. */
export function comparisonVerdictLine(comparison: Comparison): string {
  const { verdict, failOnInconclusive, violatedRuns } = comparison;
  const why = shortly(comparison);
  const isBroken = violatedRuns > 0;
  switch (verdict) {
    case 'not_comparable':
      return `INVALID: ${why}`;
    case 'regressed':
      return `FAILED: ${why}`;
    case 'inconclusive':
      if (failOnInconclusive) return `FAILED: ${why}`;
      return isBroken ? brokenLine(violatedRuns) : 'PASSED, but inconclusive: no regression shown, and none ruled out';
    case 'improved':
    case 'unchanged':
      return isBroken ? brokenLine(violatedRuns) : 'PASSED';
  }
}

const longest = 400;
const mostMetrics = 3;

/** Only the finding: its basis is above. */
function shortly(comparison: Comparison): string {
  const text = clean(sayFinding(comparison, mostMetrics)).replace(/\.$/, '');
  const said = `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
  return oneLine(comparison.confirmation?.verdict === 'confirmed' ? `${said}; confirmed` : said, longest);
}

const brokenLine = (runs: number): string =>
  `FAILED: replies broke the integrity of conversations in ${countOf(runs, 'run')} of the head`;
