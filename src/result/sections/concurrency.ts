import { z } from 'zod';
import type { IntervalLevels } from '../../record/gauges.ts';
import { count } from '../../base/field.ts';

const levelSchema = z.object({
  mean: z.number().min(0).describe('Weighted by time (count)'),
  max: count('The most at one time'),
});

export const levelsSchema = z.object({
  sessions: levelSchema.describe('Live sessions: from the first create attempt to the end'),
  turns: levelSchema.describe('Turns in flight, including backoffs'),
});
type LevelFigures = z.infer<typeof levelsSchema>;

export const concurrencySchema = levelsSchema.extend({
  maxIsUpperBound: z
    .boolean()
    .describe("Whether the maxima are upper bounds: several workers' maxima add up, though they need not coincide"),
});
export type Concurrency = z.infer<typeof concurrencySchema>;

/** Concurrency over any number of intervals. */
export function buildLevels(levels: readonly IntervalLevels[]): LevelFigures {
  const lengthUs = levels.reduce((sum, each) => sum + each.lengthUs, 0);
  const mean = (area: (each: IntervalLevels) => number): number =>
    lengthUs === 0 ? 0 : levels.reduce((sum, each) => sum + area(each), 0) / lengthUs;
  return {
    sessions: { mean: mean((each) => each.sessionsUs), max: Math.max(0, ...levels.map((each) => each.maxSessions)) },
    turns: { mean: mean((each) => each.turnsUs), max: Math.max(0, ...levels.map((each) => each.maxTurns)) },
  };
}
