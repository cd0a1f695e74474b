import { z } from 'zod';
import type { Plan } from '../../plan/plan.ts';
import type { RunStop } from './stop-controller.ts';

const droughtSchema = z.object({
  /** When an attempt last ended that ends a drought, since the start of the run; `null`: never. */
  endedAtMs: z.number().nullable(),
  /** The failures since; `null`: none. */
  failures: z
    .object({
      count: z.int().min(1),
      /** Whether a turn is among them. */
      hasTurns: z.boolean(),
      fromMs: z.number(),
      untilMs: z.number(),
      /** The first of them, in words. */
      first: z.string(),
    })
    .nullable(),
});

/** What a watchdog has seen, so that those of several shards can be judged as one. */
export const droughtsSchema = z.object({
  noSuccess: droughtSchema,
  targetGone: droughtSchema,
  /** When a session was last created, since the start of the run; `null`: never. */
  createdAtMs: z.number().nullable(),
});
export type Droughts = z.infer<typeof droughtsSchema>;
export type DroughtState = z.infer<typeof droughtSchema>;

export type Hopeless = Extract<RunStop, { kind: 'target_gone' | 'no_success' }>;

/** Longest time without success; `null`: no limit. */
export type DroughtLimits = Omit<Plan['stopWhen'], 'unusable'>;

/** Why a run is to stop, by what the watchdogs of all its shards have seen; `undefined` while it is not. */
export function judgeDroughts(
  { noSuccessMs, targetGoneMs }: DroughtLimits,
  seen: readonly Droughts[],
): Hopeless | undefined {
  const gone = tooLong(
    seen.map(({ targetGone }) => targetGone),
    targetGoneMs,
  );
  if (gone !== undefined) return { kind: 'target_gone', why: `the target could not be reached for ${gone}` };
  const none = tooLong(endedByCreations(seen), noSuccessMs);
  return none === undefined ? undefined : { kind: 'no_success', why: `no turn was ok for ${none}` };
}

/** A creation in one shard ends a drought of creations in another; a shard's own has done so already. */
const endedByCreations = (seen: readonly Droughts[]): DroughtState[] =>
  seen.map(({ noSuccess }, shard) => {
    if (seen.some((each) => each.noSuccess.failures?.hasTurns === true)) return noSuccess;
    const elsewhere = seen.filter((_, other) => other !== shard).map(({ createdAtMs }) => createdAtMs);
    return { ...noSuccess, endedAtMs: latest([noSuccess.endedAtMs, ...elsewhere]) };
  });

const latest = (instants: readonly (number | null)[]): number | null =>
  instants.reduce((last, at) => (at === null ? last : Math.max(last ?? at, at)), null);

/** How long, and what failed, in words; `undefined`: not too long. A single failure is not a drought, however long it took. */
function tooLong(states: readonly DroughtState[], limitMs: number | null): string | undefined {
  if (limitMs === null) return undefined;
  const endedAt = latest(states.map(({ endedAtMs }) => endedAtMs)) ?? -Infinity;
  const failures = states
    .flatMap((state) => state.failures ?? [])
    .filter(({ untilMs }) => untilMs > endedAt)
    .toSorted((a, b) => a.fromMs - b.fromMs);
  const count = failures.reduce((sum, each) => sum + each.count, 0);
  const [earliest] = failures;
  if (earliest === undefined || count < 2) return undefined;
  const untilMs = Math.max(...failures.map((each) => each.untilMs));
  const lengthMs = untilMs - Math.max(earliest.fromMs, endedAt);
  if (lengthMs < limitMs) return undefined;
  return `${String(Math.round(lengthMs / 1000))} s. ${String(count)} attempts failed, the first with ${earliest.first}`;
}
