import type { z } from 'zod';
import { resultSchema, type Result } from '../../result/result.ts';

/** A result without its intervals, which are nearly all of its bytes. */
export type ResultHead = Omit<Result, 'intervals' | 'examples' | 'warnings'>;

/** What says which run it was, and how far it can be compared: little enough to be read of thousands. */
export const resultFactsSchema = resultSchema.pick({
  kind: true,
  schemaVersion: true,
  run: true,
  scenario: true,
  target: true,
  environment: true,
  validity: true,
});
export type ResultFacts = z.infer<typeof resultFactsSchema>;
