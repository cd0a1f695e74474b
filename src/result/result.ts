import { z } from 'zod';
import { planSchema } from '../plan/plan.ts';
import { booksSchema } from './books/books.ts';
import { concurrencySchema } from './sections/concurrency.ts';
import { driftSchema } from './sections/drift.ts';
import { environmentSchema } from './sections/environment.ts';
import { listOf, text } from '../base/field.ts';
import { mostIntervalEntries } from '../record/interval-width.ts';
import { mostGates } from '../scenario/gate-options.ts';
import { gateVerdictSchema } from './gates/gates.ts';
import { publishedExampleSchema } from './sections/example.ts';
import { generatorHealthSchema } from './sections/generator-health.ts';
import { integritySchema } from './sections/integrity.ts';
import { intervalSchema } from './sections/intervals.ts';
import { validitySchema } from './validity/judge-validity.ts';
import { latencySchema, positionsSchema } from './sections/latency.ts';
import { outcomesSchema } from './sections/outcomes.ts';
import { retriesSchema } from './policies/policies.ts';
import { ratesSchema } from './sections/rates.ts';
import { readingSchema } from './sections/reading.ts';
import { runSchema } from './sections/run-facts.ts';
import { historySchema, streamSchema } from './sections/stream.ts';
import { spendingSchema } from './sections/spending.ts';
import { transportSchema } from './sections/transport.ts';
import { warningSchema } from './sections/warning.ts';

const scenarioSchema = z.object({
  name: text('The name of the scenario'),
  hash: text('SHA-256 of the workload and its policies: runs with different hashes cannot be compared'),
  seed: z.int().describe('The seed of the sessions'),
  plan: planSchema.describe('The settled options, with where each value came from'),
});

const targetSchema = z.object({
  baseUrl: z.string().nullable().describe('The URL of the service; null for the embedded one'),
  embedded: z.boolean().describe('Whether it was the embedded service, started for the run'),
  agentId: text('The agent or model used; empty for a defined protocol without one'),
  protocol: text('How it was spoken to: the name of a protocol'),
  stream: z.boolean().describe('Whether replies in pieces were asked for'),
});

export const resultKind = 'chat-load/result';

/** The published document of a run; comparisons and reports are made from it. */
export const resultSchema = z
  .object({
    kind: z.literal(resultKind).describe('The type of this document'),
    schemaVersion: z
      .literal(1)
      .describe('Increases when a field is removed or changes its meaning; added fields leave it as it is'),
    run: runSchema.describe('Which run it was'),
    scenario: scenarioSchema.describe('The scenario that was run'),
    target: targetSchema.describe('The service that was loaded'),
    environment: environmentSchema.nullable().describe('Where the load came from; null when it is not known'),
    books: booksSchema.describe('What became of every session, turn and attempt, including the warm-up'),
    outcomes: outcomesSchema.describe('What became of attempts and turns'),
    latency: latencySchema.describe('How long things took'),
    positions: positionsSchema.describe("Turn latency by the turn's position in its session"),
    retries: retriesSchema.describe('What retries cost and gained, in total and by policy'),
    rates: ratesSchema.describe('How much was done per second'),
    spending: spendingSchema.describe('What was consumed, including the warm-up'),
    transport: transportSchema
      .nullable()
      .describe('How requests went to the target, including the warm-up; null when it was not measured'),
    stream: streamSchema.describe('Replies in pieces, and the tokens that replies told of'),
    history: historySchema.describe('How much was sent for a turn, by its position in its session'),
    concurrency: concurrencySchema.describe('How much was under way at a time'),
    integrity: integritySchema.describe('Whether replies fit their conversations, by the integrity guard'),
    drift: driftSchema.describe('Whether anything changed during the run'),
    gates: listOf(gateVerdictSchema, mostGates).describe('Verdicts on the conditions of the scenario'),
    validity: validitySchema.describe('Whether the run can be trusted'),
    generator: generatorHealthSchema.nullable().describe('Load on the generator; null when it was not measured'),
    calibration: readingSchema
      .nullable()
      .describe('How well this generator reads percentiles at the load of this run; null when it was not calibrated'),
    intervals: listOf(intervalSchema, mostIntervalEntries).describe(
      'The run over time; intervals of the warm-up are marked',
    ),
    examples: z.array(publishedExampleSchema).describe('At most ten attempts of each class that is not ok'),
    warnings: z.array(warningSchema).describe('What else a reader should know'),
  })
  .describe(
    'The result of a chat-load run. Published figures exclude what began in the warm-up, unless stated otherwise.',
  );

export type Result = z.infer<typeof resultSchema>;
