import type { z } from 'zod';
import { resultSchema } from '../../result/result.ts';

/** What can be read of a result without its intervals, which are nearly all of its bytes. */
export const resultHeadSchema = resultSchema.omit({ intervals: true, examples: true, warnings: true });
export type ResultHead = z.infer<typeof resultHeadSchema>;

/** What says which run it was, and how far it can be compared: little enough to be read of thousands. */
export const resultFactsSchema = resultHeadSchema.pick({
  kind: true,
  schemaVersion: true,
  run: true,
  scenario: true,
  target: true,
  environment: true,
  validity: true,
});
export type ResultFacts = z.infer<typeof resultFactsSchema>;
