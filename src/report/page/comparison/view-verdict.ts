import type { Comparison } from '../../../compare/document/comparison.ts';
import { comparisonVerdictLine } from '../../comparison/comparison-verdict-line.ts';
import {
  comparisonWarnings,
  foundText,
  refusalText,
  refusalWayText,
  verdictWords,
} from '../../comparison/comparison-words.ts';
import { clean } from '../../words/paragraph.ts';
import type { Verdict } from '../page.ts';

/** The verdict of a comparison: the last line of the terminal, and the first ones as notes. */
export function viewVerdict(comparison: Comparison): Verdict {
  const { verdict } = comparison;
  return {
    state: stateOf(comparison),
    sentence: comparisonVerdictLine(comparison),
    notes: [
      `${verdictWords[verdict]}: ${foundText(comparison)}`,
      ...refusalNotes(comparison),
      ...comparisonWarnings(comparison),
    ].map(clean),
  };
}

/** As the exit code has it; what fails nothing and shows nothing is not called passed. */
function stateOf({ verdict, failOnInconclusive, violatedRuns }: Comparison): Verdict['state'] {
  switch (verdict) {
    case 'not_comparable':
      return 'invalid';
    case 'regressed':
      return 'failed';
    case 'inconclusive':
      return failOnInconclusive || violatedRuns > 0 ? 'failed' : 'neutral';
    case 'improved':
    case 'unchanged':
      return violatedRuns > 0 ? 'failed' : 'passed';
  }
}

function refusalNotes({ comparability }: Comparison): string[] {
  const { refusals, forced } = comparability;
  if (refusals.length === 0) return [];
  if (forced)
    return refusals.map((each) => `Compared anyway (--force), although ${refusalText({ ...each, remedy: null })}`);
  return [...refusals.map((each) => `Refused, because ${refusalText(each)}`), refusalWayText(comparability, '--force')];
}
