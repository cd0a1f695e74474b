import { z } from 'zod';
import { count, text } from '../base/field.ts';
import { calibrationSchema } from '../result/sections/calibration.ts';
import { warningSchema } from '../result/sections/warning.ts';
import { ceilingEnds, ceilingStepSchema, limitingSides, targetCeilingSchema } from './target-ceiling.ts';

const measuredTargetSchema = z.object({
  baseUrl: z.string(),
  embedded: z.boolean(),
  agentId: z.string(),
  scenario: z.string().nullable().describe('Name of the scenario; null for the built-in messages'),
  steps: z.array(ceilingStepSchema),
  end: z.enum(ceilingEnds).describe('Reason why no further step was taken'),
  turnsSent: count('Turns sent to the target'),
  ceiling: targetCeilingSchema.nullable().describe('Null if no turn was ok'),
  plannedPerSecond: z
    .number()
    .nullable()
    .describe(
      'Turns per second of the scenario at its peak, if replies take as long as on one connection; null without a scenario, or if nothing but the replies paces it',
    ),
  warnings: z.array(warningSchema),
});
export type MeasuredTarget = z.infer<typeof measuredTargetSchema>;

/** The document of `chat-load calibrate`: the calibration of this machine, and the ceiling of a target. */
export const calibrationDocumentSchema = calibrationSchema.extend({
  startedAt: text('Start time (ISO 8601, UTC); after the calibration if a stored one was used'),
  target: measuredTargetSchema,
  limit: z
    .enum(limitingSides)
    .nullable()
    .describe('Side that the load of the scenario is near; null without a scenario or a ceiling'),
});
export type CalibrationDocument = z.infer<typeof calibrationDocumentSchema>;
