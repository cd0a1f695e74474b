import { printable, printableTexts } from '../../base/printable.ts';
import type { Result } from '../../result/result.ts';
import { costLines, stopLines } from './end-lines.ts';
import { countOf, formatBytes, formatCount, formatMs, formatNumber } from '../words/format.ts';
import { driftLines } from './drift-lines.ts';
import { failureLines, percentileLines } from './first-screen.ts';
import { integrityTable } from './integrity-table.ts';
import { latencyTable, positionTable } from './latency-table.ts';
import { ledgerLines } from './ledger-lines.ts';
import { exampleTable, outcomeTable } from './outcome-table.ts';
import { insecureLines, networkLines } from './network-lines.ts';
import { paragraph } from '../words/paragraph.ts';
import { policyLines } from './policy-lines.ts';
import { readingLines } from './reading-lines.ts';
import { retryTable } from './retry-table.ts';
import type { Style } from '../words/table.ts';
import { streamLines } from './stream-lines.ts';
import { targetLine } from './target-line.ts';
import { shardLines, workerTable } from './worker-table.ts';
import { gateTable, integrityLine, validityLines, warningLines } from './verdict-lines.ts';

/** What of a run is not in its result. */
interface Ending {
  /** The line that says how it came out. */
  verdict: string;
  /** The result path. */
  path: string;
}

/**
 * Renders a result as text for a terminal: first what fits a screen (verdict, key figures, failures, the result path),
 * then the rest in tables that fit the style's width; what has no content is left out. Every figure in it is in the result.
 */
export function renderResult(published: Result, style: Style, ending?: Ending): string {
  // The intervals are nearly all of a result, and not shown.
  const result: Result = printableTexts({ ...published, intervals: [] });
  const sections = [
    headLines(result, style, ending),
    loadLines(result, style),
    workerTable(result, style),
    latencyTable(result, style),
    positionTable(result, style),
    outcomeTable(result, style),
    exampleTable(result, style),
    retryTable(result, style),
    policyLines(result, style),
    integrityTable(result, style),
    driftLines(result, style),
    gateTable(result, style),
    integrityLine(result, style),
    validityLines(result, style),
    booksLines(result, style),
    warningLines(result, style),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

function headLines(result: Result, style: Style, ending: Ending | undefined): string {
  const { run, scenario, rates } = result;
  const { colors } = style;
  const title = `${scenario.name}${run.label === null ? '' : ` (${run.label})`}: ${run.status} after ${formatMs(run.durationMs)}`;
  const warmUp =
    rates.measuredMs < run.durationMs - 1 ? `, measured ${formatMs(rates.measuredMs)} after the warm-up` : '';
  return [
    paragraph(title + warmUp, { width: style.width, paint: colors.bold }),
    ...(ending === undefined ? [] : [paintVerdict(ending.verdict, style)]),
    targetLine(result),
    ...insecureLines(result, style),
    ...ledgerLines(result, style),
    ...percentileLines(result),
    ...failureLines(result, style),
    ...(ending === undefined ? [] : [`result    ${printable(ending.path)}`]),
  ].join('\n');
}

/** Within the width: the last line of the whole has the same in one. */
function paintVerdict(verdict: string, { colors, width }: Style): string {
  const color = verdict.startsWith('PASSED') ? colors.green : colors.red;
  return paragraph(verdict, { width, paint: (line) => colors.bold(color(line)) });
}

function loadLines(result: Result, style: Style): string {
  const { concurrency, latency } = result;
  return [
    ...stopLines(result, style),
    ...costLines(result),
    ...streamLines(result, style),
    paragraph(
      `${formatNumber(concurrency.turns.mean)} turns on average, at most ${formatCount(concurrency.turns.max)}; ${formatNumber(concurrency.sessions.mean)} sessions live, at most ${formatCount(concurrency.sessions.max)}`,
      { width: style.width, first: 'in flight ' },
    ),
    ...networkLines(result, style),
    ...generatorLines(result, style),
    ...shardLines(result, style),
    ...(latency.turn.count === 0 ? [] : readingLines(result, style)),
  ].join('\n');
}

/** How late the event loop was matters to what was timed: nothing, where no turn finished. */
function generatorLines({ generator, environment, rates: { traffic }, latency }: Result, { width }: Style): string[] {
  if (generator === null || traffic === null) return [];
  const ofShard = environment?.workers == null ? '' : ' in the busiest shard';
  const parts = [
    `${formatNumber(generator.cpuShare * 100)} % of a core${ofShard}`,
    formatBytes(generator.rssMaxBytes),
    ...(latency.turn.count === 0 ? [] : [`event loop p99 ${formatMs(generator.eventLoopDelayP99Ms)}`]),
    countOf(traffic.connectionsOpened, 'connection'),
  ];
  return [paragraph(parts.join(', '), { width, first: 'generator ' })];
}

/** Only a bug of ours triggers this. */
function booksLines({ books }: Result, { colors }: Style): string {
  if (books.balanced !== false) return '';
  const lines = books.broken.map((equation) => `  ${JSON.stringify(equation)}`);
  return [
    colors.red('BOOKS     do not balance: this is a bug in chat-load, please report it with the result file'),
    ...lines,
  ].join('\n');
}
