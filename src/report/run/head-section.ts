import { printable } from '../../base/printable.ts';
import { failedClassNames, type AttemptClass } from '../../protocol/outcome.ts';
import { failedTurns } from '../../record/counters.ts';
import { measuredLedger } from '../../result/books/books.ts';
import type { Result } from '../../result/result.ts';
import type { PublishedExample } from '../../result/sections/example.ts';
import { asIs, fact, type OutlineBlock, type Section } from '../outline/outline.ts';
import { countOf, formatCount, formatMs, formatPerSecond } from '../../base/format.ts';
import { insecureTexts, targetLine } from '../words/target-text.ts';
import { exampleWords } from './outcome-section.ts';

/** What of a run is not in its result. */
interface RunEnding {
  /** The line that says how it came out. */
  verdict: string;
  /** The result path. */
  path: string;
}

/** What fits a screen: verdict, key figures, failures, the result path. */
export function headSection(result: Result, ending: RunEnding | undefined): Section {
  const { run, scenario, rates } = result;
  const title = `${scenario.name}${run.label === null ? '' : ` (${run.label})`}: ${run.status} after ${formatMs(run.durationMs)}`;
  const warmUp =
    rates.measuredMs < run.durationMs - 1 ? `, measured ${formatMs(rates.measuredMs)} after the warm-up` : '';
  return {
    blocks: [
      { type: 'heading', text: title + warmUp },
      // The last line of the whole has the same in one.
      ...(ending === undefined ? [] : [verdictBlock(ending.verdict)]),
      asIs(targetLine(result)),
      ...insecureTexts(scenario.plan).map((text): OutlineBlock => ({ type: 'text', text, paint: ['red'] })),
      ...ledgerBlocks(result),
      ...percentileTexts(result).map(([name, text]) => fact(name, text)),
      ...failureBlocks(result),
      ...(ending === undefined ? [] : [asIs(`result    ${printable(ending.path)}`)]),
    ],
  };
}

/** The verdict of a run or a search, in green or red. */
export function verdictBlock(verdict: string): OutlineBlock {
  return { type: 'text', text: verdict, paint: [verdict.startsWith('PASSED') ? 'green' : 'red', 'bold'] };
}

type Sessions = Result['books']['sessions'];
type Turns = Result['books']['turns'];

/** What became of sessions and turns, after the warm-up as every figure beside it; and what the warm-up held. */
function ledgerBlocks(result: Result): OutlineBlock[] {
  const { books, rates } = result;
  const { sessions, turns } = measuredLedger(books);
  const rate = rates.turnsPerSecond === null ? '-' : formatPerSecond(rates.turnsPerSecond);
  const unsent = unsentText(turns);
  return [
    fact('sessions', `${sessionParts(sessions)} of ${allSessions(result, sessions)}`),
    fact(
      'turns',
      `${formatCount(turns.ok)} ok, ${formatCount(turns.failed)} failed of ${allTurns(result, sessions, turns)}; ${rate}`,
    ),
    ...(unsent === '' ? [] : [fact('', unsent)]),
    ...(books.warmUp.sessions.started === 0 ? [] : [fact('warm-up', warmUpText(books))]),
  ];
}

/** With only a duration no number was planned; for a run that died, only what had begun is known. */
function allSessions({ books, scenario: { plan } }: Result, { started, planned }: Sessions): string {
  if (books.balanced === null) return `${formatCount(started)} started`;
  const word = plan.load.model === 'open' ? 'due' : 'started';
  return `${formatCount(planned)} ${plan.sessions === null ? word : 'planned'}`;
}

/** The number of turns of a session that was never created is unknown. */
function allTurns({ books }: Result, { created, planned: sessions }: Sessions, { sent, planned }: Turns): string {
  if (books.balanced === null) return `${formatCount(sent)} sent`;
  return `${formatCount(planned)} planned${created < sessions ? ' in created sessions' : ''}`;
}

const sessionWords = {
  completed: 'completed',
  failed: 'failed',
  cut: 'cut',
  create_failed: 'not created',
  create_cut: 'cut while created',
  dropped: 'dropped',
  not_started: 'not started',
  lost: 'lost',
} as const;

function sessionParts(sessions: Sessions): string {
  const names = Object.keys(sessionWords) as (keyof typeof sessionWords)[];
  return names
    .filter((name) => name === 'completed' || sessions[name] > 0)
    .map((name) => `${formatCount(sessions[name])} ${sessionWords[name]}`)
    .join(', ');
}

/** What became of the turns that did not end; '' if there are none. */
function unsentText(turns: Turns): string {
  const parts = [
    [turns.skipped_prior_failure, 'skipped after a failure'],
    [turns.skipped_run_end, 'skipped at the end'],
    [turns.aborted, 'aborted'],
    [turns.abandoned, 'left before the reply was complete'],
    [turns.lost, 'lost with their shard'],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, words]) => `${formatCount(count)} ${words}`)
    .join(', ');
}

function warmUpText({ warmUp: { sessions, turns } }: Result['books']): string {
  const created = sessions.create_failed === 0 ? '' : `, ${formatCount(sessions.create_failed)} of them not created`;
  const ended = `${countOf(turns.ok, 'turn')} ok and ${formatCount(turns.failed)} failed`;
  return `${countOf(sessions.started, 'session')}${created}, ${ended}: not in these figures`;
}

/** The percentiles that a reader looks for first. */
const key = [
  ['p50', 'p50Ms'],
  ['p95', 'p95Ms'],
  ['p99', 'p99Ms'],
] as const;

/** Turn latency by percentile, with its 95 % interval where there is one. */
function percentileTexts({ latency: { turn } }: Result): (readonly [name: string, text: string])[] {
  let isExplained = false;
  return key.flatMap(([name, field]) => {
    const value = turn[field];
    if (value === null) return [];
    const interval = turn.intervals?.[field] ?? null;
    const range = interval === null ? '' : `, ${formatMs(interval.lowMs)} to ${formatMs(interval.highMs)}`;
    const meaning = range === '' || isExplained ? '' : ' (95 % interval)';
    isExplained ||= range !== '';
    const max =
      interval === null && name === 'p99' && turn.p99AtMaxMs !== null
        ? `, at most ${formatMs(turn.p99AtMaxMs)} with 99 % confidence`
        : '';
    return [[`turn ${name}`, `${formatMs(value)}${range}${meaning}${max}`] as const];
  });
}

/** What failed, by class, the most frequent first, and one example of that. */
function failureBlocks(result: Result): OutlineBlock[] {
  const texts = failureTexts(result);
  const example = leadingExample(result);
  return [
    ...(texts.length === 0 ? ['none'] : texts).map((text, index) => fact(index === 0 ? 'failures' : '', text)),
    ...(example === undefined ? [] : [fact('example', exampleWords(example))]),
  ];
}

/** Formats the failures of turns and creations by class; empty without any. */
export function failureTexts(result: Result): string[] {
  return [attemptsText(result), createsText(result)].filter((text) => text !== '');
}

/** Returns an example of the most frequent failure. */
export function leadingExample({ outcomes, examples }: Result): PublishedExample | undefined {
  const counts = [...byCount(outcomes.attempts), ...byCount(outcomes.createAttempts)].toSorted(([, a], [, b]) => b - a);
  return counts.flatMap(([name]) => examples.find(({ outcome }) => outcome === name) ?? [])[0];
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
