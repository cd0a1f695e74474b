import { measuredLedger } from '../../result/books/books.ts';
import type { Result } from '../../result/result.ts';
import { formatCount, formatMs, formatPerSecond, formatShare } from '../words/format.ts';
import { codeMarkdown, escapeMarkdown, markdownList, markdownTable } from '../words/markdown-text.ts';
import type { Ending } from '../words/renderer.ts';
import type { Style } from '../words/table.ts';
import { stopWords } from './end-lines.ts';
import { streamText } from './stream-lines.ts';
import { targetLine } from './target-line.ts';
import { actualText, conditionText, orderGates } from './verdict-lines.ts';
import { mostRows, restText, shardText, workerCells } from './worker-table.ts';
import { verdictLine } from './verdict-line.ts';

const right = 'right' as const;

/** Renders a result as Markdown: the verdict, then gates, how long turns took, and what else to know. */
export function renderResultMarkdown(result: Result, _: Style, { verdict = verdictLine(result) }: Ending): string {
  const { scenario, run, validity, warnings } = result;
  const label = run.label === null ? '' : ` (${run.label})`;
  const sections = [
    `### ${escapeMarkdown(verdict)}`,
    escapeMarkdown(`${scenario.name}${label}, ${run.startedAt}, ${targetLine(result).replace(/\s+/g, ' ')}`),
    stopSection(result, verdict),
    gateSection(result),
    latencySection(result),
    escapeMarkdown(countText(result)),
    escapeMarkdown(streamText(result)),
    workerSection(result),
    markdownList(validity.reasons.map(({ severity, message }) => escapeMarkdown(`${severity}: ${message}`))),
    markdownList(warnings.map(({ message }) => escapeMarkdown(message))),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

/** Why the run ended before its end, where its verdict is about something else. */
function stopSection({ run: { stop } }: Result, verdict: string): string {
  const end = stop === null ? '' : stopWords(stop);
  return verdict.includes(end) ? '' : escapeMarkdown(end);
}

function gateSection({ gates }: Result): string {
  const rows = orderGates(gates).map((gate) => [
    escapeMarkdown(gate.verdict),
    escapeMarkdown(`${gate.metric} ${conditionText(gate)}`),
    escapeMarkdown(actualText(gate)),
  ]);
  return markdownTable([{ head: 'verdict' }, { head: 'gate' }, { head: 'actual' }], rows);
}

function latencySection({ latency }: Result): string {
  const inPieces = latency.firstToken.count === 0 ? [] : (['firstToken', 'gap', 'tokenTime'] as const);
  const rows = (['attempt', 'turn', 'effective', ...inPieces, 'lateness'] as const).map((name) => {
    const { count, p50Ms, p95Ms, p99Ms, maxMs } = latency[name];
    return [codeMarkdown(name), formatCount(count), ...[p50Ms, p95Ms, p99Ms, maxMs].map(formatMs)];
  });
  const heads = ['count', 'p50', 'p95', 'p99', 'max'].map((head) => ({ head, align: right }));
  return markdownTable([{ head: 'series' }, ...heads], rows);
}

/** The shards of a run over several cores or machines, the lost and the worst first. */
function workerSection({ environment }: Result): string {
  const workers = environment?.workers ?? [];
  if (workers.length === 0) return '';
  const { columns, rows } = workerCells(workers, mostRows);
  const heads = columns.map(({ head, align = 'left' }, index) => ({ head: index === 0 ? 'worker' : head, align }));
  const cells = rows.map((row) => row.map(escapeMarkdown));
  return [
    escapeMarkdown(`shards: ${shardText(environment)}`),
    markdownTable(heads, cells),
    escapeMarkdown(restText(workers)),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
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
