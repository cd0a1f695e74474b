import { failedTurns } from '../../record/counters.ts';
import type { Result } from '../../result/result.ts';
import { measuredLedger } from '../../result/books/books.ts';
import { failedClassNames, type AttemptClass } from '../../protocol/outcome.ts';
import { countOf, formatCount, formatMs } from '../words/format.ts';
import { exampleWords } from './outcome-table.ts';
import { paragraph } from '../words/paragraph.ts';
import type { Style } from '../words/table.ts';

/** The percentiles that a reader looks for first. */
const key = [
  ['p50', 'p50Ms'],
  ['p95', 'p95Ms'],
  ['p99', 'p99Ms'],
] as const;

/** Turn latency in a line a percentile, with its 95 % interval where there is one. */
export function percentileLines({ latency: { turn } }: Result): string[] {
  let isExplained = false;
  return key.flatMap(([name, field]) => {
    const value = turn[field];
    if (value === null) return [];
    const interval = turn.intervals?.[field] ?? null;
    const range = interval === null ? '' : `, ${formatMs(interval.lowMs)} to ${formatMs(interval.highMs)}`;
    if (interval === null && name === 'p99' && turn.p99AtMostMs !== null)
      return [`turn p99  ${formatMs(value)}, at most ${formatMs(turn.p99AtMostMs)} with 99 % confidence`];
    const meaning = range === '' || isExplained ? '' : ' (95 % interval)';
    isExplained ||= range !== '';
    return [`turn ${name}  ${formatMs(value)}${range}${meaning}`];
  });
}

/** What failed, by class, the most frequent first, and one example of that. */
export function failureLines(result: Result, { width }: Style): string[] {
  const { attempts, createAttempts } = result.outcomes;
  const texts = [attemptsText(result), createsText(result)].filter((text) => text !== '');
  const lines = (texts.length === 0 ? ['none'] : texts).map((text, index) =>
    paragraph(text, { width, first: index === 0 ? 'failures  ' : ' '.repeat(10) }),
  );
  const seen = [...byCount(attempts), ...byCount(createAttempts)].toSorted(([, a], [, b]) => b - a);
  const example = seen.flatMap(([name]) => result.examples.find(({ outcome }) => outcome === name) ?? [])[0];
  return example === undefined ? lines : [...lines, paragraph(exampleWords(example), { width, first: 'example   ' })];
}

type ClassCounts = Readonly<Record<AttemptClass, number>>;

function attemptsText({ outcomes: { attempts, turns } }: Result): string {
  const failed = failedTurns(turns);
  const bad = byCount(attempts);
  if (bad.length === 0) return '';
  const ofTurns = `${formatCount(failed)} of ${formatCount(turns.ok + failed)} turns`;
  return `${ofTurns}, ${shareOf(attempts)} attempts: ${classesText(bad)}`;
}

function createsText({ books, outcomes: { createAttempts } }: Result): string {
  const { started, create_failed: failed } = measuredLedger(books).sessions;
  const bad = byCount(createAttempts);
  if (bad.length === 0) return '';
  const ofSessions = failed === 0 ? '' : `${formatCount(failed)} of ${countOf(started, 'session')} not created, `;
  const attempts = failed === 0 ? 'attempts to create a session' : 'attempts';
  return `${ofSessions}${shareOf(createAttempts)} ${attempts}: ${classesText(bad)}`;
}

const sum = (counts: readonly (readonly [string, number])[]): number =>
  counts.reduce((total, [, count]) => total + count, 0);

const shareOf = (counts: ClassCounts): string =>
  `${formatCount(sum(byCount(counts)))} of ${formatCount(sum(byCount(counts)) + counts.ok)}`;

const classesText = (counts: readonly (readonly [string, number])[]): string =>
  counts.map(([name, count]) => `${name} ${formatCount(count)}`).join(', ');

/** What failed. */
const byCount = (counts: ClassCounts): (readonly [AttemptClass, number])[] =>
  failedClassNames
    .filter((name) => counts[name] > 0)
    .map((name) => [name, counts[name]] as const)
    .toSorted(([, a], [, b]) => b - a);
