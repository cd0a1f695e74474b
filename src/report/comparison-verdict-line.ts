import type { Comparison } from '../compare/comparison.ts';
import { foundText, verdictWords } from './comparison-words.ts';
import { countOf } from './format.ts';
import { oneLine } from './one-line.ts';

/** What of a comparison's surroundings decides its exit code. */
interface Stakes {
  failOnInconclusive: boolean;
  /** Runs of the head in which replies broke the integrity of conversations. */
  mixedUp?: number;
}

/** The line that the text of a comparison ends with, like that of a run: `PASSED`, `FAILED: why` or `INVALID: why`. */
export function comparisonVerdictLine(comparison: Comparison, { failOnInconclusive, mixedUp = 0 }: Stakes): string {
  const { verdict } = comparison;
  const why = oneLine(`${verdictWords[verdict].toLowerCase()}: ${foundText(comparison)}`, longest);
  const isBroken = mixedUp > 0;
  switch (verdict) {
    case 'not_comparable':
      return `INVALID: ${why}`;
    case 'regressed':
      return `FAILED: ${why}`;
    case 'inconclusive':
      if (failOnInconclusive) return `FAILED: ${why}`;
      return isBroken ? brokenLine(mixedUp) : 'PASSED, but inconclusive: no regression shown, and none ruled out';
    case 'improved':
    case 'unchanged':
      return isBroken ? brokenLine(mixedUp) : 'PASSED';
  }
}

const longest = 400;

const brokenLine = (runs: number): string =>
  `FAILED: replies broke the integrity of conversations in ${countOf(runs, 'run')} of the head`;
