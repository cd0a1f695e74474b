import type { JournalLosses } from './gather-journal.ts';
import { type Gap, joinTexts, rangeText } from './gaps.ts';
import type { Warning } from '../sections/warning.ts';

/** Maximum number of listed gaps; further ones are only counted. */
const maxGaps = 10;

/** Warns about missing parts of a recovered result, and damage to its journal. */
export function warnOfLosses({ damaged, foreign, repeated, misplaced, ...losses }: JournalLosses): Warning[] {
  const ofLines = [
    [damaged, incomplete(`In the journal, ${damaged.describe('is', 'are')} damaged: skipped.`, copyAgain)],
    [foreign, incomplete(`In the journal, ${foreign.describe('belongs', 'belong')} to another run: skipped.`)],
    [repeated, disordered(`In the journal, ${repeated.describe('repeats', 'repeat')} earlier content: counted once.`)],
    [misplaced, disordered(`In the journal, ${misplaced.describe('is', 'are')} in the wrong place: counted anyway.`)],
  ] as const;
  return [
    ...endWarnings(losses),
    ...gapWarnings(losses),
    ...ofLines.flatMap(([lines, warning]) => (lines.count === 0 ? [] : [warning])),
  ];
}

const copyAgain = 'Copy the journal again from the machine that wrote it, and recover from the copy.';

const incomplete = (message: string, remedy: string | null = null): Warning => ({
  code: 'journal_incomplete',
  message,
  remedy,
});

const disordered = (message: string): Warning => ({ code: 'journal_disordered', message, remedy: copyAgain });

type Span = Pick<JournalLosses, 'elapsedMs' | 'hasEnd' | 'torn' | 'missing'>;

/** Work in progress when a run died is counted in `started` and `sent`, but in no count of an end. */
function endWarnings({ elapsedMs, hasEnd, torn }: Span): Warning[] {
  const tornLine = torn === undefined ? '' : ` Line ${String(torn)}, the last, is torn.`;
  if (hasEnd) return torn === undefined ? [] : [incomplete(`All intervals are present.${tornLine}`)];
  const from = `from ${inSeconds(elapsedMs)} on`;
  const what = torn === undefined ? `what happened ${from}` : `the last interval, ${from},`;
  return [incomplete(`The run died: ${what} is missing.${tornLine}`)];
}

function gapWarnings({ missing }: Span): Warning[] {
  if (missing.length === 0) return [];
  const named = missing
    .slice(0, maxGaps)
    .map((gap) => `${rangeText(gap)} (${inSeconds(gap.startMs)} to ${inSeconds(gap.endMs)})`);
  const rest = missing.length - named.length;
  const listed = rest === 0 ? joinTexts(named) : `${named.join(', ')} and ${String(rest)} more`;
  const lost = missing.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const what = lost === 1 ? `Interval ${listed} is` : `Intervals ${listed} are`;
  return [incomplete(`${what} missing: their events are absent from counts and rates, which are too low.`, copyAgain)];
}

const inSeconds = (ms: Gap['startMs']): string => `${String(Math.round(ms / 100) / 10)} s`;
