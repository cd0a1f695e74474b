import { z } from 'zod';
import { durationMs } from '../base/field.ts';
import type { TargetCeiling } from './probe-ceiling.ts';
import { rate, type GeneratorCeiling } from './probe.ts';

export const demandSchema = z.object({
  turnsPerSecond: rate('At its peak, if replies took as long as at one connection; null: all that there is').nullable(),
  turnsPerSession: z.number().describe('On average'),
  sessionMsAtKnee: durationMs('How long a session is when the target is at its knee'),
});
/** The part of a scenario that the judgement needs. */
export type Demand = z.infer<typeof demandSchema>;

export interface ProbeSides {
  target: TargetCeiling;
  generator: Pick<GeneratorCeiling, 'turnsPerSecond'>;
}

export const limitingSides = ['target', 'generator', 'neither', 'unknown'] as const;
/** `neither`: both can do what is asked; `unknown`: it is more than the target was seen to answer, and less than its end. */
export type LimitingSide = (typeof limitingSides)[number];

/**
 * Which side is the limit, as load grows up to `demand` turns per second. Without a demand (`Infinity`) one of the
 * two is, unless the target's limit was not reached.
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
  turnsInFlight: z.int().describe('Connections with a turn under way that bring the target close to its best'),
  concurrency: z.int().describe('Closed load: live sessions that keep as many turns under way, think times included'),
  sessionsPerSecond: z.number().describe('Open load: leaves a quarter of the lower ceiling as room'),
  turnsPerSecond: rate('What those sessions make'),
});
export type Suggestion = z.infer<typeof suggestionSchema>;

const roomLeft = 0.75;

/** What to ask for instead. Little's law turns the knee's turns per second into live sessions. */
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
