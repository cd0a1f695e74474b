import { z } from 'zod';
import { durationMs, text } from '../../base/field.ts';
import { comparabilitySchema } from '../../compare/document/comparison.ts';
import { searchOutcomes } from '../document/capacity.ts';
import { loadUnits } from '../document/step.ts';

const load = (meaning: string) => z.number().nullable().describe(`${meaning}; null: not shown, so it is open there`);

const rangeSchema = z.object({
  holds: load('The highest load that is shown to hold'),
  broken: load('The lowest load that is shown not to'),
});
export type CapacityRange = z.infer<typeof rangeSchema>;

const searchSchema = z.object({
  file: z.string().nullable().describe('Where it was read from; null when it was not read from a file'),
  label: z.string().nullable().describe('Its label'),
  startedAt: text('Its start (ISO 8601, UTC)'),
  elapsedMs: durationMs('Its length'),
  toolVersion: text('The version of chat-load that searched'),
  target: z.string().nullable().describe('The base URL; null for the embedded service'),
  machine: text('The machine that sent the load'),
  outcome: z.enum(searchOutcomes).describe('How it came out'),
  range: rangeSchema.describe('What it shows: ends that two steps show, in the unit of `by`'),
  objective: z.string().nullable().describe('The metric that broke; null when none is known to'),
  turnsPerSecond: z.number().nullable().describe('Throughput at the highest load that holds; null when not known'),
});

const sideSchema = z.object({
  label: text('The label of the side'),
  searches: z.array(searchSchema).min(1).describe('Its searches'),
  range: rangeSchema.describe(
    'Of all its searches: from the least that one shows to hold to the greatest that one shows to break',
  ),
});
export type ComparedCapacities = z.infer<typeof sideSchema>;

export const capacityComparisonKind = 'chat-load/capacity-comparison';

/** What the comparison of two capacities found: a pure function of the documents that it names. */
export const capacityComparisonSchema = z
  .object({
    kind: z.literal(capacityComparisonKind).describe('The type of this document'),
    schemaVersion: z
      .literal(1)
      .describe('Increases when a field is removed or changes its meaning; added fields leave it as it is'),
    toolVersion: text('The version of chat-load'),
    verdict: z
      .enum(['improved', 'regressed', 'unchanged', 'inconclusive', 'not_comparable'])
      .describe('regressed, improved: the intervals lie apart; unchanged: both were found, and they overlap'),
    summary: text('The verdict in a sentence'),
    by: z.enum(loadUnits).describe('The unit of loads: sessions at a time, or sessions a second'),
    scenario: z
      .object({ name: text('The name of the scenario'), hash: text('Its hash, but for the load') })
      .describe('What both sides were asked; that of the base side if they differ'),
    objectives: z
      .array(z.object({ metric: text('The metric'), condition: text('What was asked of it') }))
      .describe('Under which loads had to hold; those of the base side if they differ'),
    base: sideSchema.describe('The release compared with'),
    head: sideSchema.describe('The release to be judged'),
    comparability: comparabilitySchema.describe('Whether the sides can be compared at all'),
    change: z
      .object({
        low: z.number().nullable().describe('Lower bound of head / base - 1; null: nothing bounds it'),
        high: z.number().nullable().describe('Upper bound; null: nothing bounds it'),
      })
      .nullable()
      .describe('What the intervals leave open; null when the sides were not compared'),
    reason: z.string().nullable().describe('Why it is inconclusive, and what would help; null otherwise'),
    failOnInconclusive: z.boolean().describe('Whether nothing shown either way counts as a failure'),
    warnings: z.array(z.string()).describe('What else a reader should know'),
  })
  .describe('The comparison of two releases by the most load that they hold.');
export type CapacityComparison = z.infer<typeof capacityComparisonSchema>;
