import { z } from 'zod';
import { count, durationMs, sparseCountsBy } from '../base/field.ts';
import { finishedClassNames } from '../protocol/outcome.ts';

const rate = (meaning: string) => z.number().min(0).describe(`${meaning} (turns per second)`);

const rawFiguresSchema = z.object({
  turnsPerSecond: rate('Turns that ended ok'),
  sent: count('Turns that were sent, including turns cut by the end of the step'),
  ok: count('Turns that ended ok'),
  classes: sparseCountsBy(finishedClassNames, 'Turns by outcome, including ok'),
  cpuShare: z.number().describe('Processor time of this process over elapsed time; 1 is a whole core'),
  elapsedMs: durationMs('Duration'),
  example: z.string().nullable().describe('Description of the first failed turn; null if none failed'),
});
/** Outcome of a load: closed, no think time, one session per connection. */
export type RawFigures = z.infer<typeof rawFiguresSchema>;

export const ceilingStepSchema = rawFiguresSchema.extend({ connections: z.int().min(1) });
export type CeilingStep = z.infer<typeof ceilingStepSchema>;

export const ceilingEnds = [
  'no_growth',
  'most_connections',
  'failures',
  'turns_spent',
  'sessions_refused',
  'connections_closed',
] as const;
/** Reason why no further step was taken. */
export type CeilingEnd = (typeof ceilingEnds)[number];

export const targetCeilingSchema = z.object({
  turnsPerSecond: rate('Ok turns per second in the best step'),
  connections: z.int().describe('Minimum number of connections that reach nine tenths of that rate'),
  reached: z.boolean().describe('False if the rate is a lower bound because no higher load was tried'),
  reason: z
    .enum([...ceilingEnds, 'sender_busy'])
    .describe('Reason why it is, or is not, the ceiling; sender_busy: this process had no processor time left'),
});
/** Observed ceiling of a target. */
export type TargetCeiling = z.infer<typeof targetCeilingSchema>;

/** Minimum gain over the best earlier step that counts as growth. */
const growth = 1.05;
/** Two steps in a row without growth end the measurement. */
const flatSteps = 2;
/** A process that uses this much of a core cannot send more. */
const busyShare = 0.9;
const kneeShare = 0.9;
/** The measurement ends above this share of failed turns. */
const fairFailures = 0.1;
/** A single failure among a few turns shows nothing. */
const minFailures = 5;

/** Returns why the measurement can end after these steps, if it can. */
export function endAfter(steps: readonly CeilingStep[]): 'no_growth' | 'failures' | undefined {
  const last = steps.at(-1);
  if (last !== undefined && failuresOf(last) >= minFailures && failedShare(last) > fairFailures) return 'failures';
  return isFlat(steps, flatSteps) ? 'no_growth' : undefined;
}

/** Returns the ceiling that the steps show; `undefined` without an ok turn. */
export function ceilingOf(steps: readonly CeilingStep[], end: CeilingEnd): TargetCeiling | undefined {
  const turnsPerSecond = maxRate(steps);
  const best = steps.find((step) => step.turnsPerSecond === turnsPerSecond);
  const knee = steps.find((step) => step.turnsPerSecond >= kneeShare * turnsPerSecond);
  if (best === undefined || knee === undefined || turnsPerSecond === 0) return undefined;
  return { turnsPerSecond, connections: knee.connections, ...reachOf(steps, end, best) };
}

function reachOf(
  steps: readonly CeilingStep[],
  end: CeilingEnd,
  { cpuShare }: CeilingStep,
): Pick<TargetCeiling, 'reached' | 'reason'> {
  const hasEnded = end === 'no_growth' || end === 'failures' || isFlat(steps, 1);
  if (hasEnded && cpuShare >= busyShare) return { reached: false, reason: 'sender_busy' };
  return { reached: hasEnded, reason: hasEnded && end !== 'failures' ? 'no_growth' : end };
}

/** Reports whether none of the last steps brought growth. */
function isFlat(steps: readonly CeilingStep[], count: number): boolean {
  if (steps.length <= count) return false;
  const before = maxRate(steps.slice(0, -count));
  return maxRate(steps.slice(-count)) < before * growth;
}

const maxRate = (steps: readonly CeilingStep[]): number =>
  Math.max(0, ...steps.map(({ turnsPerSecond }) => turnsPerSecond));

/** Returns the share of ended turns that failed. */
export function failedShare(figures: Pick<RawFigures, 'ok' | 'classes'>): number {
  const failed = failuresOf(figures);
  return failed === 0 ? 0 : failed / (figures.ok + failed);
}

const failuresOf = ({ ok, classes }: Pick<RawFigures, 'ok' | 'classes'>): number =>
  Object.values(classes).reduce((sum, each) => sum + each, 0) - ok;

export const limitingSides = ['target', 'machine', 'neither', 'unknown'] as const;
/** `neither`: both have room; `unknown`: the load is near the observed rate of a target whose ceiling was not reached. */
export type LimitingSide = (typeof limitingSides)[number];

/** A load up to this share of a ceiling leaves room. */
const roomyShare = 0.75;

/** Returns the side that a load of so many turns per second is near; `Infinity`: as many as possible. */
export function limitOf(
  load: number,
  target: Omit<TargetCeiling, 'connections'>,
  machinePerSecond: number,
): LimitingSide {
  if (load <= roomyShare * Math.min(target.turnsPerSecond, machinePerSecond)) return 'neither';
  if (machinePerSecond <= target.turnsPerSecond) return 'machine';
  return target.reached ? 'target' : 'unknown';
}
