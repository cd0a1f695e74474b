import type { Capacity } from '../../capacity/document/capacity.ts';
import { outcomeVerdicts } from '../../capacity/words/summarize.ts';
import { lastLine } from '../words/last-line.ts';

/** The line that every text about a search ends with: `PASSED, ...`, `FAILED: ...` or `INVALID: ...`, with the answer. */
export function capacityVerdictLine({ outcome, summary }: Pick<Capacity, 'outcome' | 'summary'>): string {
  return lastLine(lines[outcomeVerdicts[outcome]], summary.replace(/\.$/, ''));
}

const lines = { passed: 'PASSED', failed: 'FAILED', invalid: 'INVALID' } as const;
