import { z } from 'zod';
import { failedClassNames, type FailedClass } from '../protocol/outcome.ts';
import type { CounterRow } from './counter-row.ts';
import { attemptTable, counterTable, nameGroups } from './counter-table.ts';

type NamedGroup = keyof typeof counterTable;
type AttemptGroup = keyof typeof attemptTable;
type NameGroup = (typeof nameGroups)[number];

export type CounterGroup = NamedGroup | AttemptGroup | NameGroup;
export const counterGroups = [
  ...Object.keys({ ...counterTable, ...attemptTable }),
  ...nameGroups,
] as readonly CounterGroup[];

export type Counters = { [Group in NamedGroup]: Record<(typeof counterTable)[Group][number][0], number> } & Record<
  AttemptGroup,
  Record<number, number>
> &
  Record<NameGroup, Record<string, number>>;

export const storedCountersSchema = z.partialRecord(z.enum(counterGroups), z.record(z.string(), z.int().min(1)));
export type StoredCounters = z.infer<typeof storedCountersSchema>;

const zeros = counterGroups.map((group) => {
  const rows: readonly CounterRow[] = group in counterTable ? counterTable[group as NamedGroup] : [];
  return [group, Object.fromEntries(rows.map(([name]) => [name, 0]))] as const;
});

/** Returns counters with all zeros. A copy: every interval, phase and policy has its own, and building one from scratch is far slower. */
export function newCounters(): Counters {
  return Object.fromEntries(zeros.map(([group, counts]) => [group, { ...counts }])) as Counters;
}

export function addCounters(into: Counters, from: Counters | StoredCounters): void {
  for (const group of counterGroups) {
    const target: Record<string, number> = into[group];
    for (const [name, count] of Object.entries(from[group] ?? {})) target[name] = (target[name] ?? 0) + count;
  }
}

export function sumCounters(parts: readonly (Counters | StoredCounters)[]): Counters {
  const sum = newCounters();
  for (const part of parts) addCounters(sum, part);
  return sum;
}

export function storeCounters(counters: Counters): StoredCounters {
  const stored: StoredCounters = {};
  for (const group of counterGroups) {
    const counted = Object.entries(counters[group]).filter(([, count]) => count !== 0);
    if (counted.length > 0) stored[group] = Object.fromEntries(counted);
  }
  return stored;
}

/** Counts turns that finally failed: sent, not cut or abandoned, and not ok. */
export function failedTurns(turns: Counters['turns']): number {
  return sumOfFailed(turns);
}

export function failedAttempts(attempts: Counters['attempts']): number {
  return sumOfFailed(attempts);
}

const sumOfFailed = (counts: Readonly<Record<FailedClass, number>>): number =>
  failedClassNames.reduce((sum, name) => sum + counts[name], 0);

export function total(group: Readonly<Record<string, number>>): number {
  return Object.values(group).reduce((sum, count) => sum + count, 0);
}

/** Counts content events other than the first of each reply: a gap ends at them, or they share the read of the previous one. */
export function laterEvents({ gapsOk, gapsFailed, sharedReads }: Counters['streams']): number {
  return gapsOk + gapsFailed + sharedReads;
}

/** Returns the number of attempts of turns that are counted by their number of attempts. */
export function weightedTotal(byAttempts: Counters['turnsByAttempts']): number {
  return Object.entries(byAttempts).reduce((sum, [attempts, turns]) => sum + Number(attempts) * turns, 0);
}
