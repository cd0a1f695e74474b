import { printableTexts } from '../../base/printable.ts';
import { measuredLedger } from '../../result/books/books.ts';
import type { Result } from '../../result/result.ts';
import { lastSection, text, type Section, type Writer } from '../outline/outline.ts';
import { writePage } from '../outline/write-page.ts';
import type { Page } from '../page/page.ts';
import { formatCount, formatPerSecond, formatShare } from '../../base/format.ts';
import type { Ending, Report } from '../outline/report.ts';
import { renderIntervalCsv, renderIntervalHlog } from './interval-files.ts';
import { resultSuite } from './result-junit.ts';
import { driftSection } from './drift-section.ts';
import { figureSection } from './figure-section.ts';
import { bookSection, gateSection, validitySection, warningSection } from './gate-section.ts';
import { headSection } from './head-section.ts';
import { integritySection, integrityVerdictSection } from './integrity-section.ts';
import { latencySection, positionSection, shortLatencySection } from './latency-section.ts';
import { loadSection, stopWords, streamText } from './load-section.ts';
import { exampleSection, outcomeSection } from './outcome-section.ts';
import { headFacts, titleOf, verdictOf } from './page-head.ts';
import { planSection } from './plan-section.ts';
import { policySection } from './policy-section.ts';
import { retrySection } from './retry-section.ts';
import { showRuns, showText, type RunSection, type ShownRun } from './shown-run.ts';
import { targetLine } from '../words/target-text.ts';
import { timeSection } from './time-section.ts';
import { verdictLine } from './verdict-line.ts';
import { workerSection } from './worker-section.ts';

/** How a run came out. */
export const resultReport: Report<Result> = {
  outline: resultOutline,
  page: viewResults,
  junit: resultSuite,
  csv: renderIntervalCsv,
  hlog: renderIntervalHlog,
};

/** The sections of each writer, by what matters first there. Below the first screen a terminal has all, Markdown the verdict and what explains it. */
const sections = {
  terminal: [
    ...[loadSection, workerSection, latencySection, positionSection, outcomeSection, exampleSection],
    ...[retrySection, policySection, integritySection, driftSection, gateSection],
    ...[integrityVerdictSection, validitySection, bookSection, warningSection],
  ],
  markdown: [gateSection, shortLatencySection, countSection, workerSection, validitySection, warningSection],
  page: [
    ...[figureSection, gateSection, timeSection, latencySection, positionSection, outcomeSection, policySection],
    ...[retrySection, integritySection, driftSection, exampleSection, planSection, loadSection, workerSection],
    ...[bookSection, warningSection],
  ],
} as const satisfies Record<string, readonly RunSection[]>;

/**
 * The sections of a result. In a terminal first what fits a screen (verdict, key figures, failures, the result path), then
 * the rest; in Markdown the verdict, then gates, how long turns took, and what else to know. Every figure is in the result.
 */
export function resultOutline(published: Result, ending: Ending, writer: Writer): Section[] {
  // The intervals are nearly all of a result, and not shown.
  const result: Result = printableTexts({ ...published, intervals: [] });
  const { verdict = verdictLine(published), path } = ending;
  const runs = showText(result);
  if (writer === 'markdown') return [shortHead(result, verdict), ...sections.markdown.map((section) => section(runs))];
  return [
    headSection(result, path === undefined ? undefined : { verdict, path }),
    ...sections.terminal.map((section) => section(runs)),
    lastSection(verdict, path),
  ];
}

function shortHead(result: Result, verdict: string): Section {
  const { scenario, run } = result;
  const label = run.label === null ? '' : ` (${run.label})`;
  const stopped = run.stop === null || verdict.includes(stopWords(run.stop)) ? '' : stopWords(run.stop);
  const about = `${scenario.name}${label}, ${run.startedAt}, ${targetLine(result).replace(/\s+/g, ' ')}`;
  return { blocks: [{ type: 'heading', text: verdict }, text(about), text(stopped)] };
}

/** What came of the run in two lines, for Markdown. */
function countSection(runs: readonly ShownRun[]): Section {
  return {
    blocks: runs.flatMap(({ result }) => [text(countText(result)), text(streamText(result))]),
  };
}

function countText({ books, retries, rates, integrity }: Result): string {
  const { turns } = measuredLedger(books);
  return [
    `${formatCount(turns.ok)} of ${formatCount(turns.sent)} turns ok, ${formatCount(turns.failed)} failed`,
    `goodput ${formatPerSecond(rates.goodputPerSecond ?? 0)} (${formatShare(retries.goodput.share)})`,
    `${formatCount(retries.retries)} retries`,
    `integrity ${integrity.verdict}`,
  ].join('; ');
}

/**
 * The page of a result, or of several overlaid: every chart has them all, tables and figures stand side by side. All
 * texts are those of the documents, whatever is in them. Throws `UnreadableHistogram` where a histogram of an interval is
 * none of ours.
 */
export function viewResults(results: readonly Result[]): Page {
  return viewShown(showRuns(results));
}

/** The same of runs that have been opened. */
export function viewShown(runs: readonly ShownRun[]): Page {
  return writePage(
    { kind: 'result', title: titleOf(runs), facts: headFacts(runs), verdict: verdictOf(runs) },
    sections.page.map((section) => section(runs)),
    { timelines: runs.map(({ timeline }) => timeline), isRaw: true },
  );
}
