import { z } from 'zod';
import { count, durationMs, sparseCountsBy } from '../base/field.ts';
import { finishedClassNames, type AttemptClass } from '../protocol/outcome.ts';
import type { Warning } from '../result/sections/warning.ts';

export function rate(meaning: string) {
  return z.number().min(0).describe(`${meaning} (turns per second)`);
}

const loadFiguresSchema = z.object({
  turnsPerSecond: rate('Turns that ended ok'),
  sent: count('Turns that were sent, including turns cut by the end of the step'),
  ok: count('Turns that ended ok'),
  classes: sparseCountsBy(finishedClassNames, 'Turns by outcome, including ok'),
  cpuShare: z.number().describe('Processor time of this process over elapsed time; 1 is a whole core'),
  elapsedMs: durationMs('Duration'),
  example: z.string().nullable().describe('Description of the first failed turn; null if none failed'),
});
/** The outcome of one load of a probe: closed, no think time, one session per connection. */
export type LoadFigures = z.infer<typeof loadFiguresSchema>;

export const probeStepSchema = z.object({
  connections: z.int().min(1),
  autocannon: loadFiguresSchema.nullable(),
  chatLoad: loadFiguresSchema.nullable(),
});
/** One load, by autocannon and by chat-load. `null`: it was not measured. */
export type ProbeStep = z.infer<typeof probeStepSchema>;

export const probeEnds = [
  'no_growth',
  'most_connections',
  'failures',
  'turns_spent',
  'sessions_refused',
  'signal',
] as const;
/** Reason why a probe took no further step. */
export type ProbeEnd = (typeof probeEnds)[number];

export const generatorCeilingSchema = z.object({
  turnsPerSecond: rate('One core over the processor time of a turn'),
  cpuUsPerTurn: z.number().describe('Processor time of a turn (microseconds)'),
  askedPerSecond: rate('Actual rate of turns while it was measured; lower if the core was shared'),
  connections: z.int(),
});
/** The ceiling of chat-load with one core, measured against a responder that only answers. */
export type GeneratorCeiling = z.infer<typeof generatorCeilingSchema>;

/** Returns the better of a step's two figures: the target has sustained both. */
export function bestOf({ autocannon, chatLoad }: ProbeStep): LoadFigures | null {
  return (autocannon?.turnsPerSecond ?? -1) > (chatLoad?.turnsPerSecond ?? -1) ? autocannon : chatLoad;
}

export function rateOf(step: ProbeStep): number {
  return bestOf(step)?.turnsPerSecond ?? 0;
}

/** Findings of a probe. */
export interface ProbeFacts {
  startedAt: string;
  elapsedMs: number;
  toolVersion: string;
  baseUrl: string;
  embedded: boolean;
  steps: readonly ProbeStep[];
  end: ProbeEnd;
  generator: GeneratorCeiling | undefined;
  unsteady: boolean;
  /** Reason why a session could not be created. */
  refused: { outcome: AttemptClass; detail: string } | undefined;
  turnsSent: number;
  /** Warnings from before the start. */
  warnings: readonly Warning[];
}
