import { z } from 'zod';
import { text } from '../../base/field.ts';
import { loadUnits, stepSchema } from './step.ts';

export const searchOutcomes = [
  /** Both ends are shown twice. */
  'found',
  /** An objective fails at the lowest load. */
  'fails_at_min',
  /** All hold at the highest. */
  'holds_at_max',
  /** The generator carries no more. */
  'generator_limited',
  /** The service did not recover from a broken step. */
  'not_recovered',
  /** Steps of the longest length leave a wider interval than asked for. */
  'undecided',
  /** Time, turns or cost ran out before. */
  'bounded',
  /** A signal. */
  'interrupted',
  /** Something else ended it: the target is gone, or refuses everything. */
  'stopped',
] as const;
export type SearchOutcome = (typeof searchOutcomes)[number];

const endSchema = z.object({
  load: z.number(),
  steps: z.array(z.int()).describe('The numbers of the steps that show it'),
});

export const capacityKind = 'chat-load/capacity';

/** The most load under which every objective holds: what `chat-load capacity` publishes. */
export const capacitySchema = z.object({
  kind: z.literal(capacityKind),
  schemaVersion: z.literal(1),
  toolVersion: text('The version of chat-load'),
  label: z.string().nullable().describe('As given with --label'),
  scenario: z.object({
    name: text('Its name'),
    hash: text('As in the plan, but for the load'),
    seed: z.int(),
    target: z.string().nullable().describe('The base URL; null: the embedded service'),
    protocol: text('How it was spoken to'),
  }),
  machine: text('The machine that sent the load, in words'),
  startedAt: z.iso.datetime(),
  elapsedMs: z.number(),
  by: z.enum(loadUnits).describe('concurrency: loads are sessions at a time; rate: sessions a second'),
  objectives: z.array(
    z.object({
      metric: z.string(),
      condition: z.string(),
      unit: z.string(),
      limit: z.number(),
      isGuard: z
        .boolean()
        .describe('Not asked for, where no objective limits failures: breaks a step in which clearly more fails'),
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
    tolerance: z.number().describe('Requested width of the interval: 0.15 is 15 % of the lower end'),
  }),
  outcome: z.enum(searchOutcomes),
  summary: text('The answer, in one sentence'),
  holds: endSchema.nullable().describe('The highest load that was shown to hold'),
  broken: endSchema
    .extend({
      objective: z.string().nullable().describe('The metric that broke'),
      reason: text('How it broke: the figure, and what the queue did'),
      isSaturated: z.boolean(),
    })
    .nullable()
    .describe('The lowest load that was shown not to hold'),
  knee: z
    .object({
      load: z.number(),
      turnsPerSecond: z.number(),
      turnMeanMs: z.number(),
      latency: z
        .object({ metric: z.string(), ms: z.number() })
        .optional()
        .describe('Latency that is searched for, if it is not that of turns'),
    })
    .nullable()
    .describe('The step with the most throughput for its latency (Kleinrock’s power)'),
  littlesLaw: z
    .object({
      sessionsLive: z.number().describe('L, as counted'),
      product: z.number().describe('λ W: sessions a second times their mean length'),
      agrees: z.boolean().describe('Within 10 %'),
    })
    .nullable()
    .describe('Of the highest step that holds'),
  daily: z
    .object({ sessions: z.int(), turns: z.int(), rule: text('How it is worked out') })
    .nullable()
    .describe('The load of a day that leaves room at its busiest hour'),
  hysteresis: z.object({
    recoveries: z.array(
      z.object({
        afterStep: z.int(),
        load: z.number().describe('The load at which it was looked at again'),
        recoveredMs: z
          .number()
          .nullable()
          .describe('From the end of the broken step; null: it did not, as long as was waited'),
      }),
    ),
    brokeWhereItHeld: z.array(z.number()).describe('Loads that held before a broken step and not behind it'),
  }),
  spent: z.object({ turns: z.int(), sessions: z.int(), cost: z.number() }),
  steps: z.array(stepSchema),
  warnings: z.array(z.string()),
});
export type Capacity = z.infer<typeof capacitySchema>;
