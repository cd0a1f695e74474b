import type { Result } from '../../result/result.ts';
import type { GeneratorHealth } from '../../result/sections/generator-health.ts';
import type { Worker } from '../../result/sections/environment.ts';
import type { OutlineColumn, OutlineTable } from '../outline/outline.ts';
import { countOf, formatBytes, formatCount, formatMs, formatShare } from '../../base/format.ts';
import { titleIn, type RunSection } from './shown-run.ts';

/** Maximum number of rows outside a page. */
const maxRows = 12;

/** Shards, lost ones and those with the highest load first; empty for a run of one process. */
export const workerSection: RunSection = (runs) => ({
  page: {
    id: 'workers',
    title: 'Workers',
    lead: 'Workers that ran the shards, lost and busiest first. Late: delay of the start. CPU: share of one core.',
  },
  blocks: runs.flatMap((run) => {
    const { environment } = run.result;
    const workers = environment?.workers ?? [];
    if (workers.length === 0) return [];
    const title = titleIn(run, 'Shards');
    return [
      { type: 'text', on: ['page'], text: titleIn(run, `Shards: ${shardText(environment)}`) },
      { type: 'text', on: ['markdown'], text: `shards: ${shardText(environment)}` },
      { ...workerTable(workers, maxRows), on: ['terminal', 'markdown'], title },
      { ...workerTable(workers, Infinity), on: ['page'], title },
      { type: 'text', on: ['terminal', 'markdown'], text: restText(workers) },
    ];
  }),
});

/** Describes the number of shards and the spread of their starts; '' for a run of one process. */
export function shardText(environment: Result['environment']): string {
  const { workers = null, startSkewMs = null } = environment ?? {};
  if (workers === null) return '';
  const machines = countOf(new Set(workers.map(({ host }) => host)).size, 'machine');
  const began = startSkewMs === null ? '' : `, started within ${formatMs(startSkewMs)} of each other`;
  const lost = lostCount(workers);
  // The result of a run that died does not contain its losses.
  const isKnown = workers.every(({ sessionsStarted }) => sessionsStarted !== null);
  const losses = isKnown ? `, ${lost === 0 ? 'none' : formatCount(lost)} lost` : '';
  return `${formatCount(workers.length)} on ${machines}${began}${losses}`;
}

/** Builds a table of at most `max` shards; the column `lost` is omitted if no shard was lost. */
function workerTable(workers: readonly Worker[], max: number): Pick<OutlineTable, 'type' | 'columns' | 'rows'> {
  const isAnyLost = workers.some(({ lost }) => lost !== null);
  const shown = everyColumn.filter(({ column }) => isAnyLost || column.head !== 'lost');
  return {
    type: 'table',
    columns: shown.map(({ column }) => column),
    rows: worstFirst(workers)
      .slice(0, max)
      .map((worker) => ({
        cells: shown.map(({ of }) => of(worker)),
        ...(worker.lost === null ? {} : { state: 'bad', paint: 'red' }),
      })),
  };
}

/** Summarizes shards without a row; '' if there are none. */
function restText(workers: readonly Worker[]): string {
  const rest = worstFirst(workers).slice(maxRows);
  if (rest.length === 0) return '';
  const lost = lostCount(rest);
  const health = rest.flatMap(({ generator }) => generator ?? []);
  const cpu = Math.max(...health.map(({ cpuShare }) => cpuShare));
  const delay = Math.max(...health.map(({ eventLoopDelayP99Ms }) => eventLoopDelayP99Ms));
  const figures =
    health.length === 0 ? '' : `: CPU up to ${formatShare(cpu)}, event loop delay p99 up to ${formatMs(delay)}`;
  return `and ${countOf(rest.length, 'more shard', 'more shards')}, ${lost === 0 ? 'none' : formatCount(lost)} of them lost${figures}`;
}

const lostCount = (workers: readonly Worker[]): number => workers.filter(({ lost }) => lost !== null).length;

/** Sorts lost shards first, then by how close the generator was to its limits. */
function worstFirst(workers: readonly Worker[]): Worker[] {
  return workers.toSorted(
    (a, b) => Number(b.lost !== null) - Number(a.lost !== null) || strainOf(b) - strainOf(a) || a.shard - b.shard,
  );
}

/** Returns the highest load of a generator relative to the limits of validity. */
function strainOf({ generator }: Worker): number {
  if (generator === null) return 0;
  const { cpuShareMax, eventLoopBusyMax, eventLoopDelayP99Ms } = generator;
  return Math.max(cpuShareMax / 0.9, eventLoopBusyMax / 0.9, eventLoopDelayP99Ms / 50);
}

interface Shown {
  column: OutlineColumn;
  of: (worker: Worker) => string;
}

/** Builds a column; narrow terminals drop the one with the highest `goes` first. */
const figure = (head: string, goes: number, of: Shown['of']): Shown => ({ column: { head, align: 'right', goes }, of });
const health = (head: string, goes: number, read: (of: GeneratorHealth) => string): Shown =>
  figure(head, goes, ({ generator }) => (generator === null ? '-' : read(generator)));

/** Formats a count, which is unknown for shards of a run that died. */
const countText = (count: number | null): string => (count === null ? '-' : formatCount(count));

const everyColumn: readonly Shown[] = [
  // A no-break space keeps the name on one line of a narrow page.
  { column: { head: 'worker', terminal: 'WORKERS' }, of: ({ shard }) => `shard\u00a0${String(shard)}` },
  { column: { head: 'host', max: 20 }, of: ({ host }) => host },
  figure('process', 6, ({ pid }) => String(pid)),
  figure('late', 3, ({ startLateMs, sessionsStarted }) => (sessionsStarted === null ? '-' : lateText(startLateMs))),
  figure('sessions', 1, ({ sessionsStarted }) => countText(sessionsStarted)),
  figure('turns', 0, ({ turnsFinished }) => countText(turnsFinished)),
  health('CPU', 0, ({ cpuShare }) => formatShare(cpuShare)),
  health('busiest', 4, ({ cpuShareMax }) => formatShare(cpuShareMax)),
  health('loop p99', 2, ({ eventLoopDelayP99Ms }) => formatMs(eventLoopDelayP99Ms)),
  health('memory', 5, ({ rssMaxBytes }) => formatBytes(rssMaxBytes)),
  {
    column: { head: 'lost', min: 24 },
    of: ({ lost }) => (lost === null ? '' : `after ${formatMs(lost.atMs)}: ${lost.reason}`),
  },
];

/** Formats the delay of a start; it can be negative, because clocks of machines differ slightly. */
const lateText = (lateMs: number | null): string =>
  lateMs === null ? 'never' : `${lateMs < 0 ? '−' : ''}${formatMs(Math.abs(lateMs))}`;
