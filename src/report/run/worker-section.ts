import type { Result } from '../../result/result.ts';
import type { GeneratorHealth } from '../../result/sections/generator-health.ts';
import type { Worker } from '../../result/sections/environment.ts';
import {
  table,
  text,
  type OutlineColumn,
  type OutlineRow,
  type OutlineTable,
  type Writer,
} from '../outline/outline.ts';
import { countOf, formatBytes, formatCount, formatMs, formatShare } from '../../base/format.ts';
import { perRun } from './shown-run.ts';

const maxRows = 12;

/** Shards, lost ones and those with the highest load first; empty for a run of one process. */
export const workerSection = perRun(
  {
    page: {
      id: 'workers',
      isSecondary: true,
      title: 'Workers',
      lead: 'Workers that ran the shards, lost and busiest first. Late: delay of the start. CPU: share of one core.',
    },
  },
  ({ result: { environment } }) => {
    const workers = environment?.workers ?? [];
    if (workers.length === 0) return [];
    const shards = shardText(environment);
    return [
      { ...text(`Shards: ${shards}`), on: ['page'] },
      { ...text(`shards: ${shards}`), on: ['markdown'] },
      workerTable(workers, maxRows, ['terminal', 'markdown']),
      workerTable(workers, Infinity, ['page']),
      { ...text(restText(workers)), on: ['terminal', 'markdown'] },
    ];
  },
);

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
function workerTable(workers: readonly Worker[], max: number, on: readonly Writer[]): OutlineTable {
  const isAnyLost = workers.some(({ lost }) => lost !== null);
  const shown = everyColumn.filter(([{ head }]) => isAnyLost || head !== 'lost');
  const rows = worstFirst(workers)
    .slice(0, max)
    .map((worker): OutlineRow => ({
      cells: shown.map(([, of]) => of(worker)),
      ...(worker.lost === null ? {} : { state: 'bad', paint: 'red' }),
    }));
  return table(
    'Shards',
    shown.map(([column]) => column),
    rows,
    { on },
  );
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

type Column = readonly [column: OutlineColumn, of: (worker: Worker) => string];

/** Builds a column of a figure; narrow terminals drop the one with the highest `goes` first. */
const figure = (head: string, goes: number, of: Column[1]): Column => [{ head, align: 'right', goes }, of];
const health = (head: string, goes: number, read: (of: GeneratorHealth) => string): Column =>
  figure(head, goes, ({ generator }) => (generator === null ? '-' : read(generator)));

/** Formats a count, which is unknown for shards of a run that died. */
const countText = (count: number | null): string => (count === null ? '-' : formatCount(count));

const everyColumn: readonly Column[] = [
  // A no-break space keeps the name on one line of a narrow page.
  [{ head: 'worker', terminal: 'WORKERS' }, ({ shard }) => `shard\u00a0${String(shard)}`],
  [{ head: 'host', max: 20 }, ({ host }) => host],
  figure('process', 6, ({ pid }) => String(pid)),
  figure('late', 3, ({ startLateMs, sessionsStarted }) => (sessionsStarted === null ? '-' : lateText(startLateMs))),
  figure('sessions', 1, ({ sessionsStarted }) => countText(sessionsStarted)),
  figure('turns', 0, ({ turnsFinished }) => countText(turnsFinished)),
  health('CPU', 0, ({ cpuShare }) => formatShare(cpuShare)),
  health('busiest', 4, ({ cpuShareMax }) => formatShare(cpuShareMax)),
  health('loop p99', 2, ({ eventLoopDelayP99Ms }) => formatMs(eventLoopDelayP99Ms)),
  health('memory', 5, ({ rssMaxBytes }) => formatBytes(rssMaxBytes)),
  [{ head: 'lost', min: 24 }, ({ lost }) => (lost === null ? '' : `after ${formatMs(lost.atMs)}: ${lost.reason}`)],
];

/** Formats the delay of a start; it can be negative, because clocks of machines differ slightly. */
const lateText = (lateMs: number | null): string =>
  lateMs === null ? 'never' : `${lateMs < 0 ? '−' : ''}${formatMs(Math.abs(lateMs))}`;
