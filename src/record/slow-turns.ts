import { z } from 'zod';
import { callOutcomes, modelApis } from '../protocol/model-call.ts';
import { attemptClassNames, turnClassNames } from '../protocol/outcome.ts';

const span = { startMs: z.number(), durationMs: z.number().min(0) };

/** A slow turn with its attempts and their model calls; attempts and calls start relative to the turn. */
export const slowTurnSchema = z.object({
  session: z.int().min(1),
  turn: z.int().min(1),
  /** Since the start of the run. */
  ...span,
  outcome: z.enum(turnClassNames),
  attempts: z.array(
    z.object({
      number: z.int().min(1),
      ...span,
      outcome: z.enum(attemptClassNames),
      calls: z.array(
        z.object({
          ...span,
          api: z.enum(modelApis),
          model: z.string(),
          outcome: z.enum(callOutcomes),
          isRepeat: z.boolean(),
          /** True if it went on after the attempt. */
          isLate: z.boolean(),
        }),
      ),
    }),
  ),
});
export type SlowTurn = z.infer<typeof slowTurnSchema>;
