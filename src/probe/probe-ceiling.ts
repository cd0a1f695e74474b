import { z } from 'zod';
import { durationMs } from '../base/field.ts';
import { probeEnds, rate, rateOf, type LoadFigures, type ProbeEnd, type ProbeStep } from './probe.ts';

export const targetCeilingSchema = z.object({
  turnsPerSecond: rate('Ok turns per second in the best step'),
  reached: z.boolean().describe('False if the rate is a lower bound because no higher load was tried'),
  reason: z
    .enum([...probeEnds, 'generator_busy'])
    .describe('Reason why it is, or is not, the ceiling; generator_busy: this process had no processor time left'),
  connections: z.int().describe('Connections of the best step'),
  knee: z
    .object({ connections: z.int(), turnsPerSecond: rate('Turns that ended ok'), replyMs: durationMs('Reply time') })
    .describe('Minimum number of connections that reach nine tenths of the maximum rate'),
});
/** Observed ceiling of a target. */
export type TargetCeiling = z.infer<typeof targetCeilingSchema>;

/** Minimum gain over the best earlier step that counts as growth. */
const growth = 1.05;
/** Two steps in a row without growth end a probe. */
const flatSteps = 2;
/** A process that uses this much of a core cannot send more. */
const busyShare = 0.9;
const kneeShare = 0.9;
/** A probe ends above this share of failed turns. */
const fairFailures = 0.1;
/** A single failure among a few turns shows nothing. */
const minFailures = 5;

/** Returns why a probe can end after these steps, if it can. */
export function endAfter(steps: readonly ProbeStep[]): 'no_growth' | 'failures' | undefined {
  const last = steps.at(-1);
  if (last !== undefined && hasFailed(last)) return 'failures';
  return isFlat(steps, flatSteps) ? 'no_growth' : undefined;
}

/** Returns the ceiling that the steps of a probe show; `undefined` without an ok turn. */
export function ceilingOf(steps: readonly ProbeStep[], end: ProbeEnd): TargetCeiling | undefined {
  const best = steps.reduce<ProbeStep | undefined>((a, b) => (a && rateOf(a) >= rateOf(b) ? a : b), undefined);
  if (best === undefined || rateOf(best) === 0) return undefined;
  const turnsPerSecond = rateOf(best);
  const knee = steps.find((step) => rateOf(step) >= kneeShare * turnsPerSecond) ?? best;
  return {
    turnsPerSecond,
    ...reachOf(steps, end, best),
    connections: best.connections,
    knee: {
      connections: knee.connections,
      turnsPerSecond: rateOf(knee),
      replyMs: (knee.connections * 1000) / rateOf(knee),
    },
  };
}

/**
 * If autocannon is at its own limit, it shows nothing about the target while chat-load still has processor time left.
 */
function reachOf(
  steps: readonly ProbeStep[],
  end: ProbeEnd,
  { autocannon, chatLoad }: ProbeStep,
): Pick<TargetCeiling, 'reached' | 'reason'> {
  const hasEnded = end === 'no_growth' || end === 'failures' || isFlat(steps, 1);
  const asker = chatLoad ?? autocannon;
  if (hasEnded && asker !== null && asker.cpuShare >= busyShare) return { reached: false, reason: 'generator_busy' };
  return { reached: hasEnded, reason: hasEnded && end !== 'failures' ? 'no_growth' : end };
}

/** Reports whether none of the last steps brought growth. */
function isFlat(steps: readonly ProbeStep[], count: number): boolean {
  if (steps.length <= count) return false;
  const before = Math.max(...steps.slice(0, -count).map(rateOf));
  return steps.slice(-count).every((step) => rateOf(step) < before * growth);
}

/** Returns the share of ended turns that failed. */
export function failedShare({ ok, classes }: LoadFigures): number {
  const ended = sumOf(classes);
  return ended === 0 ? 0 : (ended - ok) / ended;
}

const sumOf = (classes: LoadFigures['classes']): number =>
  Object.values(classes).reduce((sum, count) => sum + count, 0);

/** Reports whether either of its loads failed more than occasionally. */
const hasFailed = ({ autocannon, chatLoad }: ProbeStep): boolean =>
  [autocannon, chatLoad].some(
    (figures) =>
      figures !== null && sumOf(figures.classes) - figures.ok >= minFailures && failedShare(figures) > fairFailures,
  );
