import type { z } from 'zod';
import { capacitySchema } from '../../../capacity/document/capacity.ts';

/** What a list shows of a search for a capacity. */
export const listedCapacitySchema = capacitySchema
  .pick({ kind: true, schemaVersion: true, label: true, startedAt: true, outcome: true, summary: true })
  .extend({ scenario: capacitySchema.shape.scenario.pick({ name: true }) });

export type ListedCapacity = z.infer<typeof listedCapacitySchema>;
