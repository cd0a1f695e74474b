import { z } from 'zod';
import { count, numberOrNull, sparseCountsBy, text } from '../../base/field.ts';
import { failedClassNames } from '../../protocol/outcome.ts';
import type { Counters } from '../../record/counters.ts';
import { bucketMiddleUs } from '../../record/model-counters.ts';
import { sumBy } from '../../statistics/averages.ts';
import { countIn, valueAtPercent } from './model-parts.ts';

const propagationSchema = z.object({
  kind: text(
    'Kind of the injected fault; `several` for turns with several kinds, `unattributed` for calls without a turn',
  ),
  calls: count('Injected calls'),
  turns: count('Turns with such a call'),
  okAtOnce: count('Of these, turns that ended ok without a retry of the client'),
  okAfterRetry: count('Turns that ended ok after a retry of the client'),
  failed: sparseCountsBy(failedClassNames, 'Failed turns by class'),
  abandoned: count('Turns whose user left'),
  addedMs: numberOrNull(
    'Median duration of the ok turns minus the median of ok turns without a fault at the same position and with as many calls without repeats, weighted by turns (milliseconds; null if no group has 10 turns on either side)',
  ),
  comparedTurns: count('Ok turns in that comparison'),
});
export const propagationRowsSchema = z.array(propagationSchema);
export type Propagation = z.infer<typeof propagationSchema>;

/** Builds a row for each kind of fault, the most frequent first; `several` and `unattributed` are last. */
export function buildPropagation({
  modelFaults,
  modelTurns,
}: Pick<Counters, 'modelFaults' | 'modelTurns'>): Propagation[] {
  const byKind = turnsByKind(modelTurns);
  const rows = new Map<string, Propagation>();
  for (const [key, value] of Object.entries(modelFaults)) {
    const [, kind = '', name = ''] = faultKey.exec(key) ?? [];
    if (kind === '') continue;
    const row = rows.get(kind) ?? { ...emptyRow, kind, failed: {}, ...addedTime(byKind, kind) };
    const isFailed = name.startsWith(failedPrefix);
    rows.set(kind, {
      ...row,
      ...(isFailed ? { failed: { ...row.failed, [name.slice(failedPrefix.length)]: value } } : { [name]: value }),
    });
  }
  return [...rows.values()].toSorted(
    (one, other) => last(one) - last(other) || other.calls - one.calls || (one.kind < other.kind ? -1 : 1),
  );
}

const failedPrefix = 'failed.';
const faultKey = /^(.+?)\.(calls|turns|okAtOnce|okAfterRetry|abandoned|failed\..+)$/;
const emptyRow = { calls: 0, turns: 0, okAtOnce: 0, okAfterRetry: 0, abandoned: 0 };

const last = ({ kind }: Propagation): number => ['several', 'unattributed'].indexOf(kind);

/** Ok turns of each kind and group, by the bucket of their duration; a group has one position and number of calls. */
type TurnsByKind = ReadonlyMap<string, ReadonlyMap<string, Record<number, number>>>;

/** Kind of the turns without a fault. */
const unhit = 'none';

function turnsByKind(modelTurns: Counters['modelTurns']): TurnsByKind {
  const byKind = new Map<string, Map<string, Record<number, number>>>();
  for (const [key, turns] of Object.entries(modelTurns)) {
    const [kind = '', position = '', calls = '', bucket = ''] = key.split('|');
    const groups = byKind.get(kind) ?? new Map<string, Record<number, number>>();
    byKind.set(kind, groups);
    const group = `${position}|${calls}`;
    groups.set(group, { ...groups.get(group), [Number(bucket)]: turns });
  }
  return byKind;
}

/** Minimum number of turns of a median. */
const minTurns = 10;

/** Returns the time that a kind of fault added to ok turns: the mean over the groups, weighted by turns hit. */
function addedTime(byKind: TurnsByKind, kind: string): Pick<Propagation, 'addedMs' | 'comparedTurns'> {
  const without = byKind.get(unhit);
  const groups = [...(byKind.get(kind) ?? [])].flatMap(([group, durations]) => {
    const others = without?.get(group) ?? {};
    const turns = countIn(durations);
    if (Math.min(turns, countIn(others)) < minTurns) return [];
    return [{ turns, addedMs: medianMs(durations) - medianMs(others) }];
  });
  const comparedTurns = sumBy(groups, ({ turns }) => turns);
  const weighted = sumBy(groups, ({ turns, addedMs }) => turns * addedMs);
  return { addedMs: comparedTurns === 0 ? null : weighted / comparedTurns, comparedTurns };
}

const medianMs = (durations: Record<number, number>): number =>
  bucketMiddleUs(valueAtPercent(durations, 50) ?? 0) / 1000;
