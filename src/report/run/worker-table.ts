import type { Result } from '../../result/result.ts';
import type { GeneratorHealth } from '../../result/sections/generator-health.ts';
import type { Worker } from '../../result/sections/worker.ts';
import { countOf, formatBytes, formatCount, formatMs, formatShare } from '../words/format.ts';
import { fittingTable, type Cells, type FittingColumn } from '../words/fitting-table.ts';
import { paragraph } from '../words/paragraph.ts';
import type { Style } from '../words/table.ts';

/** The most rows where there is little room. */
export const mostRows = 12;

/** How many shards a run had, and how closely together they began; nothing for a run of one process. */
export function shardLines({ environment }: Pick<Result, 'environment'>, { width }: Style): string[] {
  const text = shardText(environment);
  return text === '' ? [] : [paragraph(text, { width, first: 'shards    ' })];
}

export function shardText(environment: Result['environment']): string {
  const { workers = null, startSkewMs = null } = environment ?? {};
  if (workers === null) return '';
  const machines = countOf(new Set(workers.map(({ host }) => host)).size, 'machine');
  const began = startSkewMs === null ? '' : `, started within ${formatMs(startSkewMs)} of each other`;
  const lost = lostCount(workers);
  // A run that died does not say which it had lost by then.
  const isKnown = workers.every(({ sessionsStarted }) => sessionsStarted !== null);
  const losses = isKnown ? `, ${lost === 0 ? 'none' : formatCount(lost)} lost` : '';
  return `${formatCount(workers.length)} on ${machines}${began}${losses}`;
}

/** The shards, the lost and the worst first; '' for a run of one process. */
export function workerTable({ environment }: Pick<Result, 'environment'>, style: Style): string {
  const workers = environment?.workers ?? [];
  if (workers.length === 0) return '';
  const { columns, rows } = workerCells(workers, mostRows);
  const lost = lostCount(workers);
  const painted = rows.map(([shard = '', ...cells], at) => [at < lost ? style.colors.red(shard) : shard, ...cells]);
  return [fittingTable(columns, painted, style).text, ...restLines(workers, style.width)].join('\n');
}

/** The same as data, of at most so many shards. Where none was lost there is no column for it. */
export function workerCells(workers: readonly Worker[], atMost = Infinity): Cells {
  const isAnyLost = workers.some(({ lost }) => lost !== null);
  const shown = everyColumn.filter(({ column }) => isAnyLost || column.head !== 'lost');
  return {
    columns: shown.map(({ column }) => column),
    rows: worstFirst(workers)
      .slice(0, atMost)
      .map((worker) => shown.map(({ of }) => of(worker))),
  };
}

/** What is to say of the shards that have no row: '' if each has. */
export function restText(workers: readonly Worker[]): string {
  const rest = worstFirst(workers).slice(mostRows);
  if (rest.length === 0) return '';
  const lost = lostCount(rest);
  const health = rest.flatMap(({ generator }) => generator ?? []);
  const [cpu, delay] = [
    Math.max(...health.map(({ cpuShare }) => cpuShare)),
    Math.max(...health.map(({ eventLoopDelayP99Ms }) => eventLoopDelayP99Ms)),
  ];
  const figures =
    health.length === 0 ? '' : `: CPU at most ${formatShare(cpu)}, event loop p99 at most ${formatMs(delay)}`;
  return `and ${countOf(rest.length, 'more shard', 'more shards')}, ${lost === 0 ? 'none' : formatCount(lost)} of them lost${figures}`;
}

const restLines = (workers: readonly Worker[], width: number): string[] => {
  const text = restText(workers);
  return text === '' ? [] : [paragraph(text, { width })];
};

const lostCount = (workers: readonly Worker[]): number => workers.filter(({ lost }) => lost !== null).length;

/** The lost, then those whose generator was nearest to its limit, or beyond it. */
function worstFirst(workers: readonly Worker[]): Worker[] {
  return workers.toSorted(
    (a, b) => Number(b.lost !== null) - Number(a.lost !== null) || strainOf(b) - strainOf(a) || a.shard - b.shard,
  );
}

/** In parts of what validity allows. */
function strainOf({ generator }: Worker): number {
  if (generator === null) return 0;
  const { cpuShareMax, eventLoopBusyMax, eventLoopDelayP99Ms } = generator;
  return Math.max(cpuShareMax / 0.9, eventLoopBusyMax / 0.9, eventLoopDelayP99Ms / 50);
}

interface Shown {
  column: FittingColumn;
  of: (worker: Worker) => string;
}

const text = (column: FittingColumn, of: Shown['of']): Shown => ({ column, of });
/** Where there is no room, the greatest of `goes` is dropped first. */
const figure = (head: string, goes: number, of: Shown['of']): Shown => ({ column: { head, align: 'right', goes }, of });
const ofHealth =
  (read: (health: GeneratorHealth) => string): Shown['of'] =>
  ({ generator }) =>
    generator === null ? '-' : read(generator);

/** A run that died leaves no counts of its shards. */
const countText = (count: number | null): string => (count === null ? '-' : formatCount(count));

const everyColumn: readonly Shown[] = [
  text({ head: 'WORKERS' }, ({ shard }) => `shard ${String(shard)}`),
  text({ head: 'host', most: 20 }, ({ host }) => host),
  figure('process', 6, ({ pid }) => String(pid)),
  figure('late', 3, ({ startLateMs, sessionsStarted }) => (sessionsStarted === null ? '-' : lateText(startLateMs))),
  figure('sessions', 1, ({ sessionsStarted }) => countText(sessionsStarted)),
  figure('turns', 0, ({ turnsFinished }) => countText(turnsFinished)),
  figure(
    'CPU',
    0,
    ofHealth(({ cpuShare }) => formatShare(cpuShare)),
  ),
  figure(
    'busiest',
    4,
    ofHealth(({ cpuShareMax }) => formatShare(cpuShareMax)),
  ),
  figure(
    'loop p99',
    2,
    ofHealth(({ eventLoopDelayP99Ms }) => formatMs(eventLoopDelayP99Ms)),
  ),
  figure(
    'memory',
    5,
    ofHealth(({ rssMaxBytes }) => formatBytes(rssMaxBytes)),
  ),
  text({ head: 'lost', least: 24 }, ({ lost }) =>
    lost === null ? '' : `after ${formatMs(lost.atMs)}: ${lost.reason}`,
  ),
];

/** The common clock may have a shard begin a little before the instant appointed. */
const lateText = (lateMs: number | null): string =>
  lateMs === null ? 'never' : `${lateMs < 0 ? '−' : ''}${formatMs(Math.abs(lateMs))}`;
