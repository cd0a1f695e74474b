import { z } from 'zod';
import { durationMs } from '../base/field.ts';
import type { TargetCeiling } from './probe-ceiling.ts';
import { rate, type GeneratorCeiling } from './probe.ts';

export const demandSchema = z.object({
  turnsPerSecond: rate(
    'Turns per second at the peak, if replies took as long as on one connection; null: unlimited',
  ).nullable(),
  turnsPerSession: z.number().describe('Mean turns per session'),
  sessionMsAtKnee: durationMs('Duration of a session when the target is at its knee'),
});
/** Demand of a scenario. */
export type Demand = z.infer<typeof demandSchema>;

export interface ProbeSides {
  target: TargetCeiling;
  generator: Pick<GeneratorCeiling, 'turnsPerSecond'>;
}

export const limitingSides = ['target', 'generator', 'neither', 'unknown'] as const;
/** `neither`: both sustain the demand; `unknown`: the demand exceeds the observed rate of a target whose ceiling was not reached. */
export type LimitingSide = (typeof limitingSides)[number];

/**
 * Returns the side that limits the load as it grows up to `demand` turns per second. Without a demand (`Infinity`) the
 * result is one of the two sides, unless the target's limit was not reached.
 */
export function limitOf({ target, generator }: ProbeSides, demand: number): LimitingSide {
  const asks = generator.turnsPerSecond;
  const isGeneratorAtItsEnd = target.reason === 'generator_busy';
  if (isGeneratorAtItsEnd) return demand > Math.min(asks, target.turnsPerSecond) ? 'generator' : 'neither';
  if (demand <= Math.min(asks, target.turnsPerSecond)) return 'neither';
  if (target.turnsPerSecond >= asks) return 'generator';
  return target.reached ? 'target' : 'unknown';
}

export const suggestionSchema = z.object({
  turnsInFlight: z.int().describe('Turns in flight with which the target is close to its maximum rate'),
  concurrency: z.int().describe('Closed load: live sessions with that many turns in flight, think times included'),
  sessionsPerSecond: z.number().describe('Open load: three quarters of the lower ceiling'),
  turnsPerSecond: rate('Turns per second at that rate of sessions'),
});
export type Suggestion = z.infer<typeof suggestionSchema>;

const roomLeft = 0.75;

/** Suggests a load. Little's law converts the knee's turns per second to live sessions. */
export function suggest({ target, generator }: ProbeSides, demand: Omit<Demand, 'turnsPerSecond'>): Suggestion {
  const { turnsPerSession, sessionMsAtKnee } = demand;
  const turnsPerSecond = roomLeft * Math.min(target.turnsPerSecond, generator.turnsPerSecond);
  const sessionsAtKnee = target.knee.turnsPerSecond / turnsPerSession;
  return {
    turnsInFlight: target.knee.connections,
    concurrency: Math.max(1, Math.round((sessionsAtKnee * sessionMsAtKnee) / 1000)),
    sessionsPerSecond: turnsPerSecond / turnsPerSession,
    turnsPerSecond,
  };
}
