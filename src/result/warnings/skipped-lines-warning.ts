import { countOf } from '../../base/format.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Warning } from '../sections/warning.ts';

/** The warnings about malformed lines of a file of conversations, or of a trace; none where all could be read. */
export function skippedLinesWarnings({ conversations, load }: Pick<Plan, 'conversations' | 'load'>): Warning[] {
  const trace = load.model === 'open' ? load.trace : undefined;
  return [
    ...warningOf(conversations, { code: 'conversations_left_out', used: 'The other conversations were used.' }),
    ...warningOf(trace, { code: 'trace_lines_left_out', used: 'The other requests were replayed.' }),
  ];
}

type ReadFile = Pick<NonNullable<Plan['conversations']>, 'file' | 'skipped'>;

function warningOf(read: ReadFile | undefined, { code, used }: { code: string; used: string }): Warning[] {
  if (read === undefined || read.skipped.lines === 0) return [];
  const { file, skipped } = read;
  const named = skipped.first.map(({ line, why }) => `line ${String(line)}: ${why}`).join('; ');
  const were = `${countOf(skipped.lines, 'malformed line')} of ${file} ${skipped.lines === 1 ? 'was' : 'were'} left out`;
  return [
    {
      code,
      message: `${were} (${named}${skipped.lines > skipped.first.length ? '; ...' : ''}). ${used}`,
      remedy: 'Correct or remove these lines.',
    },
  ];
}
