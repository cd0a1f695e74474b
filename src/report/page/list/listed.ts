import { z } from 'zod';
import { capacitySchema } from '../../../capacity/document/capacity.ts';
import { resultSchema } from '../../../result/result.ts';

const { latency, rates, scenario, ...whole } = resultSchema.shape;

/** What a list shows of a result, and no more: thousands are read for one. */
export const listedResultSchema = resultSchema.pick({ kind: true, schemaVersion: true, run: true }).extend({
  scenario: scenario.pick({ name: true }),
  environment: whole.environment,
  books: whole.books,
  outcomes: whole.outcomes,
  latency: z.object({ turn: latency.shape.turn.pick({ p95Ms: true }) }),
  rates: rates.pick({ turnsPerSecond: true }),
  integrity: whole.integrity,
  gates: whole.gates,
  validity: whole.validity,
});

export type ListedResult = z.infer<typeof listedResultSchema>;

/** What a list shows of a search for a capacity. */
export const listedCapacitySchema = capacitySchema
  .pick({ kind: true, schemaVersion: true, label: true, startedAt: true, outcome: true, summary: true })
  .extend({ scenario: capacitySchema.shape.scenario.pick({ name: true }) });

export type ListedCapacity = z.infer<typeof listedCapacitySchema>;
