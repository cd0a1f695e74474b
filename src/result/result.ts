import { z } from 'zod';
import { planSchema } from '../plan/plan.ts';
import { attemptClassNames, type AttemptClass } from '../protocol/outcome.ts';
import { operations } from '../protocol/protocol.ts';
import { booksSchema } from './books/books.ts';
import { concurrencySchema } from './sections/concurrency.ts';
import { driftSchema } from './sections/drift.ts';
import { environmentSchema } from './sections/environment.ts';
import { count, durationMs, text } from '../base/field.ts';
import { gateVerdictSchema } from './gates/gates.ts';
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
import { spendingSchema } from './sections/spending.ts';
import { warningSchema } from './sections/warning.ts';

const scenarioSchema = z.object({
  name: text('The name of the scenario'),
  hash: text('SHA-256 of the workload and its policies: runs of unlike hashes cannot be compared'),
  seed: z.int().describe('What the sessions were drawn from'),
  plan: planSchema.describe('The settled options, with where each value came from'),
});

const targetSchema = z.object({
  baseUrl: z.string().nullable().describe('Where the service was; null for the embedded one'),
  embedded: z.boolean().describe('Whether it was the embedded service, started for the run'),
  agentId: text('The agent talked to'),
});

const publishedExampleSchema = z.object({
  outcome: z.enum(attemptClassNames as [AttemptClass, ...AttemptClass[]]).describe('The class of the attempt'),
  operation: z.enum(operations).describe('What was sent'),
  session: count("The session's number, from 1"),
  turn: count("The turn's number, from 1; 0 for a creation"),
  status: z.int().describe('The HTTP status; 0 when no whole response head was read'),
  detail: text('What was wrong; secrets are taken out'),
  atMs: durationMs("When it ended, since the run's start"),
  texts: z
    .object({
      message: text('What was sent; empty for a creation'),
      reply: text('The body that came; empty where no whole reply did'),
    })
    .nullable()
    .default(null)
    .describe('What was said, cut to 2,000 characters, secrets taken out; null unless keepTexts asks for it'),
});

/** What of a run is published, and what comparisons and reports are made from. */
export const resultSchema = z
  .object({
    kind: z.literal('chat-load/result').describe('Tells this document from others'),
    schemaVersion: z.literal(1).describe('Goes up with any change that a reader could notice'),
    run: runSchema.describe('Which run it was'),
    scenario: scenarioSchema.describe('What was asked for'),
    target: targetSchema.describe('What it was asked of'),
    environment: environmentSchema.nullable().describe('Where the load came from; null when it is not known'),
    books: booksSchema.describe('Where every session, turn and attempt went, the warm-up included'),
    outcomes: outcomesSchema.describe('What became of attempts and turns'),
    latency: latencySchema.describe('How long things took'),
    positions: positionsSchema.describe("Turn latency by the turn's position in its session"),
    retries: retriesSchema.describe('What retries cost and gained, over all and by policy'),
    rates: ratesSchema.describe('How much was done in the time'),
    spending: spendingSchema
      .nullable()
      .default(null)
      .describe('What was used up, the warm-up included; null in a result of an older chat-load'),
    concurrency: concurrencySchema.describe('How much was under way at a time'),
    integrity: integritySchema.describe('Whether replies fit their conversations, by the integrity guard'),
    drift: driftSchema
      .nullable()
      .default(null)
      .describe('Whether anything changed in the course of the run; null in a result of an older chat-load'),
    gates: z.array(gateVerdictSchema).describe('Verdicts on the conditions of the scenario'),
    validity: validitySchema.describe('Whether the run can be trusted'),
    generator: generatorHealthSchema.nullable().describe('How the generator fared; null when it was not measured'),
    calibration: readingSchema
      .nullable()
      .default(null)
      .describe('How well this generator reads percentiles at the load of this run; null when it was not calibrated'),
    intervals: z.array(intervalSchema).describe('The run through time, the warm-up included and marked'),
    examples: z.array(publishedExampleSchema).describe('At most ten attempts of each class that is not ok'),
    warnings: z.array(warningSchema).describe('What else a reader should know'),
  })
  .describe(
    'The result of a chat-load run. Published figures leave out what began in the warm-up, unless they say otherwise.',
  );

export type Result = z.infer<typeof resultSchema>;

/** The JSON Schema (draft 2020-12) of the result document. */
export function resultJsonSchema(): Record<string, unknown> {
  return {
    title: 'chat-load result',
    ...z.toJSONSchema(resultSchema, { io: 'input' }),
  };
}
