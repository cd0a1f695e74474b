import { attemptClassNames, type AttemptClass } from '../../protocol/outcome.ts';
import { ratePerSecond } from '../../base/field.ts';
import type { Interval } from '../../result/sections/intervals.ts';
import { sumOf } from '../../statistics/averages.ts';
import { rounded } from '../page/drawn-numbers.ts';
import type { TimelineRow } from './timeline-rows.ts';

export type Columns = Record<string, readonly (number | null)[]>;

interface CountColumn {
  name: string;
  read: (row: TimelineRow) => number | null;
  /** Left out where it is zero throughout. */
  isRare?: boolean;
}

/** Rates and levels of a run over time, by name; those without a value are left out. */
export function countColumns(rows: readonly TimelineRow[]): Columns {
  return Object.fromEntries(
    allColumns.flatMap(({ name, read, isRare = false }) => {
      const values = rows.map(read);
      const isShown = values.some((value) => value !== null && (value !== 0 || !isRare));
      return isShown ? [[name, values.map((value) => (value === null ? null : rounded(value)))]] : [];
    }),
  );
}

/** Which class of what, per second. */
export const classColumn = {
  turns: (name: AttemptClass) => `turnsPerSecond.${name}`,
  attempts: (name: AttemptClass) => `attemptsPerSecond.${name}`,
  createAttempts: (name: AttemptClass) => `createAttemptsPerSecond.${name}`,
};
export type Classed = keyof typeof classColumn;

const perSecond = (name: string, count: (interval: Interval) => number): CountColumn => ({
  name,
  read: ({ counted, countedMs }) => ratePerSecond(sumOf(counted.map(count)), countedMs),
});
const rare = (column: CountColumn): CountColumn => ({ ...column, isRare: true });

const rateColumns: readonly CountColumn[] = [
  perSecond('turnsPerSecond.sent', ({ turns }) => turns.sent),
  perSecond('turnsPerSecond.ok', ({ turns }) => turns.ok),
  perSecond('turnsPerSecond.failed', ({ turns }) => turns.failed),
  perSecond('turnsPerSecond.good', ({ turns }) => turns.good),
  {
    name: 'turnsPerSecond.ofWarmUp',
    read: ({ warmUpTurns, interval }) => ratePerSecond(warmUpTurns, interval.lengthMs),
    isRare: true,
  },
  rare(perSecond('retriesPerSecond', ({ attempts }) => attempts.retries)),
  perSecond('sessionsPerSecond.started', ({ sessions }) => sessions.started),
  perSecond('sessionsPerSecond.created', ({ sessions }) => sessions.created),
  rare(perSecond('sessionsPerSecond.notCreated', ({ sessions }) => sessions.createFailed)),
  perSecond('sessionsPerSecond.ended', ({ sessions }) => sessions.ended),
  rare(perSecond('brokenRepliesPerSecond', ({ integrity }) => integrity.failed)),
];

const byClass = (of: Classed): CountColumn[] =>
  attemptClassNames
    .filter((name) => of !== 'turns' || name !== 'ok')
    .map((name) => rare(perSecond(classColumn[of](name), (interval) => interval[of].byClass[name] ?? 0)));

const levelColumns: readonly CountColumn[] = [
  { name: 'live.sessions', read: ({ interval }) => interval.concurrency?.sessions.mean ?? null },
  { name: 'live.turns', read: ({ interval }) => interval.concurrency?.turns.mean ?? null },
  { name: 'generator.eventLoopDelayP99Ms', read: ({ interval }) => interval.generator?.eventLoopDelayP99Ms ?? null },
  { name: 'generator.cpuShare', read: ({ interval }) => interval.generator?.cpuShare ?? null },
  { name: 'generator.rssBytes', read: ({ interval }) => interval.generator?.rssBytes ?? null },
  { name: 'generator.heapBytes', read: ({ interval }) => interval.generator?.heapBytes ?? null },
];

const allColumns: readonly CountColumn[] = [
  ...rateColumns,
  ...byClass('turns'),
  ...byClass('attempts'),
  ...byClass('createAttempts'),
  ...levelColumns,
];
