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
import { costSection } from './cost-section.ts';
import { driftSection } from './drift-section.ts';
import { figureSection } from './figure-section.ts';
import { accuracyText } from './accuracy-text.ts';
import { bookSection, gateSection, validitySection, warningSection } from './gate-section.ts';
import { headSection, mainExample, titleOf } from './head-section.ts';
import { insideSection } from './inside-section.ts';
import { integritySection, integrityVerdictSection } from './integrity-section.ts';
import { latencySection, positionSection, shortLatencySection } from './latency-section.ts';
import { loadSection, stopText } from './load-section.ts';
import { exampleSection, outcomeSection } from './outcome-section.ts';
import { headFacts, pageTitle, verdictOf } from './page-head.ts';
import { planSection } from './plan-section.ts';
import { policySection } from './policy-section.ts';
import { retrySection } from './retry-section.ts';
import { perRun, showRuns, showText, type RunSection, type ShownRun } from './shown-run.ts';
import { targetLine } from '../words/target-text.ts';
import { eventsText, outputText, streamFacts } from './stream-texts.ts';
import { targetSection } from './target-section.ts';
import { loadTimeSection, timeSection } from './time-section.ts';
import { verdictLine } from './verdict-line.ts';
import { workerSection } from './worker-section.ts';

export const resultReport: Report<Result> = {
  outline: resultOutline,
  page: viewResults,
  junit: resultSuite,
  csv: renderIntervalCsv,
  hlog: renderIntervalHlog,
};

/** Summarizes the run in a few lines, for Markdown. */
const countSection = perRun({}, ({ result }) => [text(countText(result)), text(streamText(result))]);

/** Sections of each writer, the most important first. Below the summary a terminal shows all sections, Markdown only the sections that explain the verdict. */
const sections = {
  terminal: [
    ...[
      insideSection,
      targetSection,
      costSection,
      loadSection,
      workerSection,
      latencySection,
      positionSection,
      outcomeSection,
      exampleSection,
    ],
    ...[retrySection, policySection, integritySection, driftSection, gateSection],
    ...[integrityVerdictSection, validitySection, bookSection, planSection, warningSection],
  ],
  markdown: [
    ...[gateSection, shortLatencySection, countSection, costSection, insideSection],
    ...[targetSection],
    ...[workerSection, validitySection, warningSection],
  ],
  page: [
    ...[figureSection, gateSection, warningSection, insideSection, timeSection, targetSection, latencySection],
    ...[positionSection, loadTimeSection, costSection],
    ...[outcomeSection, exampleSection, policySection, retrySection, integritySection, driftSection],
    ...[planSection, loadSection, workerSection, bookSection],
  ],
} as const satisfies Record<string, readonly RunSection[]>;

/**
 * Builds the sections of a result: in a terminal a summary of one screen (verdict, key figures, failures, the result
 * path), then the rest; in Markdown the verdict, key figures, gates, latency and warnings.
 */
export function resultOutline(published: Result, ending: Ending, writer: Writer): Section[] {
  // Intervals are most of a result's size and are not shown.
  const result: Result = printableTexts({ ...published, intervals: [] });
  const { verdict = verdictLine(published), path } = ending;
  const runs = showText(result);
  if (writer === 'markdown') return [shortHead(result, verdict), ...sections.markdown.map((section) => section(runs))];
  return [
    headSection(result, { verdict, path }),
    ...sections.terminal.map((section) => section(runs)),
    lastSection(verdict, path),
  ];
}

function shortHead(result: Result, verdict: string): Section {
  const { run } = result;
  const stopped = run.stop === null || verdict.includes(stopText(run.stop)) ? '' : stopText(run.stop);
  const about = `${titleOf(result)}, ${run.startedAt}, ${targetLine(result).replace(/\s+/g, ' ')}`;
  const example = verdict.startsWith('PASSED') ? null : mainExample(result);
  return {
    blocks: [
      { type: 'heading', text: verdict },
      text(example === null ? '' : `Example: ${example}`),
      text(about),
      text(stopped),
      { type: 'facts', facts: streamFacts(result) },
    ],
  };
}

function streamText(result: Result): string {
  const output = outputText(result);
  return [
    ...(result.stream.replies === 0 ? [] : [eventsText(result.stream)]),
    ...(output === '' ? [] : [`output ${output}`]),
  ].join('; ');
}

function countText(result: Result): string {
  const { books, retries, rates, integrity } = result;
  const { turns } = measuredLedger(books);
  const accuracy = accuracyText(result);
  return [
    `${formatCount(turns.ok)} of ${formatCount(turns.sent)} turns ok, ${formatCount(turns.failed)} failed`,
    `goodput ${formatPerSecond(rates.goodputPerSecond ?? 0)} (${formatShare(retries.goodput.share)})`,
    `${formatCount(retries.retries)} retries`,
    `integrity ${integrity.verdict}`,
    ...(accuracy === '' ? [] : [`measured ${accuracy}`]),
  ].join('; ');
}

/**
 * Builds the page of a result, or of several overlaid: charts contain all of them, tables and figures are side by side.
 * Texts of the documents are not altered. Throws `UnreadableHistogram` if a histogram of an interval is not valid.
 */
export function viewResults(results: readonly Result[]): Page {
  return viewShown(showRuns(results));
}

export function viewShown(runs: readonly ShownRun[]): Page {
  return writePage(
    { kind: 'result', title: pageTitle(runs), facts: headFacts(runs), verdict: verdictOf(runs) },
    sections.page.map((section) => section(runs)),
    { timelines: runs.map(({ timeline }) => timeline), isRaw: true },
  );
}
