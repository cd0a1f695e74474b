import { printable } from '../../base/printable.ts';
import { failedClassNames, type AttemptClass } from '../../protocol/outcome.ts';
import { failedTurns } from '../../record/counters.ts';
import { measuredLedger } from '../../result/books/books.ts';
import type { Result } from '../../result/result.ts';
import { asIs, fact, factsOf, text, type OutlineBlock, type Section } from '../outline/outline.ts';
import { countOf, formatCount, formatMs, formatPerSecond } from '../../base/format.ts';
import type { Fact } from '../page/page.ts';
import { insecureTexts, targetLine } from '../words/target-text.ts';
import { traceTemplate } from '../words/trace-link.ts';
import { accuracyText } from './accuracy-text.ts';
import { formatExample } from './outcome-section.ts';
import { outputText, percentileFacts, streamFacts } from './stream-texts.ts';

/**
 * Builds the summary that fits a screen: verdict, key figures, failures, the result path if it was written. A failed run
 * leads with its failures.
 */
export function headSection(result: Result, { verdict, path }: { verdict: string; path: string | undefined }): Section {
  const failures = failureBlocks(result);
  const hasPassed = verdict.startsWith('PASSED');
  return {
    blocks: [
      { type: 'heading', text: `${titleOf(result)}: ${lengthText(result)}` },
      // Without a path, only the last line contains the verdict.
      ...(path === undefined ? [] : [verdictBlock(verdict)]),
      ...(hasPassed ? [] : failures),
      fact('target', targetLine(result).slice(10)),
      ...insecureTexts(result.scenario.plan).map((words) => text(words, 'red')),
      ...ledgerBlocks(result),
      ...latencyFacts(result).map((each) => fact(each.name, each.text)),
      ...(hasPassed ? (failures.length === 0 ? [fact('failures', 'none')] : failures) : []),
      ...(path === undefined ? [] : [asIs(`result    ${printable(path)}`)]),
    ],
  };
}

/** Returns the title of a run: `peak (release-42)`. */
export function titleOf({ scenario, run }: Result): string {
  return `${scenario.name}${run.label === null ? '' : ` (${run.label})`}`;
}

/** Describes status and duration: `completed after 1m 00s, measured 50 s after the warm-up`. */
export function lengthText({ run: { status, durationMs }, rates: { measuredMs } }: Result): string {
  const measured = measuredMs < durationMs - 1 ? `, measured ${formatMs(measuredMs)} after the warm-up` : '';
  return `${status} after ${formatMs(durationMs)}${measured}`;
}

/** Returns the most important figures: streamed replies first, then turn latency and the output rate. */
function latencyFacts(result: Result): Fact[] {
  const { latency, gates } = result;
  const output = outputText(result);
  return [
    ...streamFacts(result),
    ...factsOf({ output: output === '' ? null : output }),
    ...percentileFacts('turn', { summary: latency.turn, metric: 'turn', gates }),
    ...factsOf({ measured: accuracyText(result) || null }),
  ];
}

/** Returns the verdict of a run or a search as a green or red line. */
export function verdictBlock(verdict: string): OutlineBlock {
  return text(verdict, verdict.startsWith('PASSED') ? 'green' : 'red', 'bold');
}

type Sessions = Result['books']['sessions'];
type Turns = Result['books']['turns'];

/** Counts sessions and turns by outcome, after the warm-up; the warm-up has its own line. */
function ledgerBlocks(result: Result): OutlineBlock[] {
  const { books, rates } = result;
  const { sessions, turns } = measuredLedger(books);
  const rate = rates.turnsPerSecond === null ? '-' : formatPerSecond(rates.turnsPerSecond);
  const unsent = unsentText(turns);
  const incomplete = incompleteText(result.outcomes);
  const ended = `${formatCount(turns.ok)} ok, ${formatCount(turns.failed)} failed`;
  return [
    fact('sessions', `${sessionParts(sessions)} of ${allSessions(result, sessions)}`),
    fact('turns', `${ended} of ${allTurns(result, sessions, turns)}; ${rate}`),
    ...(incomplete === '' ? [] : [fact('', incomplete)]),
    ...(unsent === '' ? [] : [fact('', unsent)]),
    ...(books.warmUp.sessions.started === 0 ? [] : [fact('warm-up', warmUpText(books))]),
  ];
}

/** Counts ok replies that are no whole answer: `of the ok ones: 9 cut off at a limit of tokens`; '' if there are none. */
function incompleteText({ finish, empty }: Result['outcomes']): string {
  const parts = [
    [finish.length, 'cut off at a limit of tokens'],
    [finish.filtered, 'filtered or refused'],
    [empty, 'empty'],
  ] as const;
  const counted = parts.filter(([count]) => count > 0).map(([count, what]) => `${formatCount(count)} ${what}`);
  return counted.length === 0 ? '' : `of the ok ones: ${counted.join(', ')}`;
}

/** Formats the total of sessions: planned, or due if only a duration is set; for a run that died, only the started sessions are known. */
function allSessions({ books, scenario: { plan } }: Result, { started, planned }: Sessions): string {
  if (books.balanced === null) return `${formatCount(started)} started`;
  const word = plan.load.model === 'open' ? 'due' : 'started';
  return `${formatCount(planned)} ${plan.sessions === null ? word : 'planned'}`;
}

/** Formats the total of turns. Sessions that were never created have an unknown number of turns. */
function allTurns({ books }: Result, { created, planned: sessions }: Sessions, { sent, planned }: Turns): string {
  if (books.balanced === null) return `${formatCount(sent)} sent`;
  return `${formatCount(planned)} planned${created < sessions ? ' in the sessions that were created' : ''}`;
}

const sessionTexts = {
  completed: 'completed',
  failed: 'failed',
  cut: 'cut',
  create_failed: 'not created',
  create_cut: 'cut while created',
  dropped: 'dropped',
  not_started: 'not started',
  lost: 'lost',
} as const;

const sessionParts = (sessions: Sessions): string =>
  listParts(sessionTexts, (name) => (name === 'completed' || sessions[name] > 0 ? sessions[name] : null));

/** Counts turns that did not end, by reason; '' if there are none. */
const unsentText = (turns: Turns): string => listParts(unsentTexts, (name) => turns[name] || null);

const unsentTexts = {
  skipped_prior_failure: 'skipped after a failure',
  skipped_run_end: 'skipped at the end',
  aborted: 'aborted',
  abandoned: 'abandoned by the user before the reply was complete',
  lost: 'lost with their shard, and more after its last interval',
} as const;

/** Lists counts with their names; omits counts that are null. */
function listParts<Name extends string>(
  words: Readonly<Record<Name, string>>,
  countOfName: (name: Name) => number | null,
): string {
  const parts = (Object.keys(words) as Name[]).flatMap((name) => {
    const count = countOfName(name);
    return count === null ? [] : [`${formatCount(count)} ${words[name]}`];
  });
  return parts.join(', ');
}

function warmUpText({ warmUp: { sessions, turns } }: Result['books']): string {
  const created = sessions.create_failed === 0 ? '' : `, ${formatCount(sessions.create_failed)} of them not created`;
  const ended = `${countOf(turns.ok, 'turn')} ok and ${formatCount(turns.failed)} failed`;
  return `${countOf(sessions.started, 'session')}${created}, ${ended}; excluded from these figures`;
}

/** Lists failures by class, the most frequent first, with an example of that class. */
function failureBlocks(result: Result): OutlineBlock[] {
  const texts = failureTexts(result);
  const example = mainExample(result);
  return [
    ...texts.map((text, index) => fact(index === 0 ? 'failures' : '', text)),
    ...(example === null ? [] : [fact('example', example)]),
  ];
}

export function failureTexts(result: Result): string[] {
  return [attemptsText(result), createsText(result)].filter((text) => text !== '');
}

/** Describes an example of the most frequent failure; `null` if there is none. */
export function mainExample(result: Result): string | null {
  const { outcomes, examples } = result;
  const { attempts, createAttempts } = outcomes;
  const failed = [...byCount(attempts), ...byCount(createAttempts)].toSorted(([, a], [, b]) => b - a);
  const example = failed.flatMap(([name]) => examples.find(({ outcome }) => outcome === name) ?? [])[0];
  return example === undefined ? null : formatExample(example, traceTemplate(result));
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

function shareOf(counts: ClassCounts): string {
  const failed = byCount(counts).reduce((total, [, count]) => total + count, 0);
  return `${formatCount(failed)} of ${formatCount(failed + counts.ok)}`;
}

const classesText = (counts: readonly (readonly [string, number])[]): string =>
  counts.map(([name, count]) => `${name} ${formatCount(count)}`).join(', ');

/** Lists failed classes and their counts, the most frequent first. */
const byCount = (counts: ClassCounts): (readonly [AttemptClass, number])[] =>
  failedClassNames
    .filter((name) => counts[name] > 0)
    .map((name) => [name, counts[name]] as const)
    .toSorted(([, a], [, b]) => b - a);
