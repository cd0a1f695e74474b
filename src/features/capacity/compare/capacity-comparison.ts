import { z } from 'zod';
import { durationMs, text, numberOrNull, textOrNull, flag } from '../../../base/field.ts';
import { comparabilitySchema } from '../../../compare/document/comparison.ts';
import { searchOutcomes } from '../document/capacity.ts';
import { loadUnits } from '../document/step.ts';

const load = (meaning: string) => numberOrNull(`${meaning}; null: unknown, so the range is open on this side`);

const rangeSchema = z.object({
  holds: load('Highest load shown to pass'),
  broken: load('Lowest load shown to fail'),
});
export type CapacityRange = z.infer<typeof rangeSchema>;

const searchSchema = z.object({
  file: textOrNull('File of the search; null when it was not read from a file'),
  label: textOrNull('Label of the search'),
  startedAt: text('Start of the search (ISO 8601, UTC)'),
  elapsedMs: durationMs('Duration of the search'),
  toolVersion: text('Version of chat-load that ran the search'),
  target: textOrNull('Base URL of the target; null for the embedded service'),
  machine: text('Machine that sent the load'),
  outcome: z.enum(searchOutcomes).describe('Outcome of the search'),
  range: rangeSchema.describe('Range of the capacity, in the unit of `by`; an end counts only if two steps show it'),
  objective: textOrNull('Metric that exceeded its limit; null when none is known'),
  turnsPerSecond: numberOrNull('Throughput at the highest passing load; null if unknown'),
});

const sideSchema = z.object({
  label: text('Label of the side'),
  searches: z.array(searchSchema).min(1).describe('Searches of this side'),
  range: rangeSchema.describe('Range across all its searches: from the lowest `holds` to the highest `broken`'),
});
export type ComparedCapacities = z.infer<typeof sideSchema>;

export const capacityComparisonKind = 'chat-load/capacity-comparison';

/** The comparison of two capacities: a pure function of the documents that it names. */
export const capacityComparisonSchema = z
  .object({
    kind: z.literal(capacityComparisonKind).describe('Type of this document'),
    schemaVersion: z
      .literal(1)
      .describe('Increases when a field is removed or changes its meaning; additional fields do not'),
    toolVersion: text('Version of chat-load'),
    verdict: z
      .enum(['improved', 'regressed', 'unchanged', 'inconclusive', 'not_comparable'])
      .describe(
        'regressed, improved: the ranges do not overlap; unchanged: every search found both ends, and the ranges overlap',
      ),
    summary: text('Verdict as a sentence'),
    by: z.enum(loadUnits).describe('Unit of the loads: concurrent sessions, or sessions per second'),
    scenario: z
      .object({ name: text('Name of the scenario'), hash: text('Hash of the scenario without its load') })
      .describe("Scenario of both sides; the base side's if they differ"),
    objectives: z
      .array(z.object({ metric: text('Metric'), condition: text('Required condition') }))
      .describe("Objectives that a load had to meet; the base side's if they differ"),
    base: sideSchema.describe('Reference release'),
    head: sideSchema.describe('Release under test'),
    comparability: comparabilitySchema.describe('Conditions for a comparison, and which of them are not met'),
    change: z
      .object({
        low: numberOrNull('Lower bound of head / base - 1; null: unbounded'),
        high: numberOrNull('Upper bound; null: unbounded'),
      })
      .nullable()
      .describe('Possible change, by the ranges; null when the sides were not compared'),
    reason: textOrNull('Reason and remedy of an inconclusive verdict; null otherwise'),
    failOnInconclusive: flag('True if an inconclusive verdict counts as a failure'),
    warnings: z.array(z.string()).describe('Further warnings'),
  })
  .describe('Comparison of two releases by the highest load that they sustain.');
export type CapacityComparison = z.infer<typeof capacityComparisonSchema>;

declare module '../../../report/documents.ts' {
  interface Documents {
    'chat-load/capacity-comparison': CapacityComparison;
  }
}
