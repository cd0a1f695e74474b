import { z } from 'zod';
import { text, textOrNull, flag, numberOrNull } from '../../../base/field.ts';
import { loadUnits, stepSchema } from './step.ts';

export const searchOutcomes = [
  /** Two steps each showed that the lower end holds and that the upper end fails. */
  'found',
  'fails_at_min',
  'holds_at_max',
  'generator_limited',
  'not_recovered',
  /** Steps of the maximum duration leave a wider interval than the tolerance. */
  'undecided',
  'bounded',
  'interrupted',
  /** The target became unreachable, or rejects everything. */
  'stopped',
] as const;
export type SearchOutcome = (typeof searchOutcomes)[number];

const endSchema = z.object({
  load: z.number(),
  steps: z.array(z.int()).describe('Numbers of the steps that show it'),
});

export const capacityKind = 'chat-load/capacity';

/** Document of `chat-load capacity`: the highest load that meets every objective. */
export const capacitySchema = z.object({
  kind: z.literal(capacityKind),
  schemaVersion: z.literal(1),
  toolVersion: text('Version of chat-load'),
  label: textOrNull('Label set with --label'),
  scenario: z.object({
    name: text('Name of the scenario'),
    hash: text('Hash of the plan without its load'),
    seed: z.int(),
    target: textOrNull('Base URL of the target; null for the embedded service'),
    protocol: text('Protocol of the target'),
  }),
  machine: text('Description of the machine that sent the load'),
  startedAt: z.iso.datetime(),
  elapsedMs: z.number(),
  by: z.enum(loadUnits).describe('Unit of the loads; concurrency: concurrent sessions; rate: sessions per second'),
  objectives: z.array(
    z.object({
      metric: z.string(),
      condition: z.string(),
      unit: z.string(),
      limit: z.number(),
      isGuard: flag(
        'True for the default limit on failures, added if no objective limits failures: it only fails a step in which clearly more turns failed',
      ),
    }),
  ),
  bounds: z.object({
    min: z.number(),
    max: z.number(),
    maxDurationMs: z.number().nullable(),
    maxTurns: z.int().nullable(),
    maxSessions: z.int().nullable(),
    maxCost: z.number().nullable(),
    maxStepMs: z.number(),
    tolerance: z.number().describe('Maximum distance between the two ends: 0.15 is 15 % of the lower end'),
  }),
  outcome: z.enum(searchOutcomes),
  summary: text('The answer as one sentence'),
  holds: endSchema.nullable().describe('Highest load shown to meet every objective'),
  broken: endSchema
    .extend({
      objective: textOrNull('Metric that exceeded its limit'),
      reason: text('Reason: the figure that failed, and the growth of the queue'),
      isSaturated: z.boolean(),
    })
    .nullable()
    .describe('Lowest load shown to fail an objective'),
  knee: z
    .object({
      load: z.number(),
      turnsPerSecond: z.number(),
      turnMeanMs: z.number(),
      latency: z
        .object({ metric: z.string(), ms: z.number() })
        .optional()
        .describe('Latency of the objective, if it is not a turn latency'),
    })
    .nullable()
    .describe('Step with the highest throughput relative to its latency (Kleinrock’s power)'),
  littlesLaw: z
    .object({
      sessionsLive: z.number().describe('L: mean number of live sessions'),
      product: z.number().describe('λ W: sessions per second times their mean duration'),
      agrees: flag('True if both are within 10 %'),
    })
    .nullable()
    .describe('Little’s law at the highest passing step'),
  daily: z
    .object({ sessions: z.int(), turns: z.int(), rule: text('Rule of the calculation') })
    .nullable()
    .describe('Daily load that leaves headroom in the peak hour'),
  hysteresis: z.object({
    recoveries: z.array(
      z.object({
        afterStep: z.int(),
        load: z.number().describe('Load of the steps that tested the recovery'),
        recoveredMs: numberOrNull(
          'Time from the end of the failed step to the recovery; null: no recovery while the search waited',
        ),
      }),
    ),
    brokeWhereItHeld: z.array(z.number()).describe('Loads that passed before a failed step and failed after it'),
  }),
  spent: z.object({ turns: z.int(), sessions: z.int(), cost: z.number() }),
  steps: z.array(stepSchema),
  warnings: z.array(z.string()),
});
export type Capacity = z.infer<typeof capacitySchema>;

declare module '../../../report/documents.ts' {
  interface Documents {
    'chat-load/capacity': Capacity;
  }
}
