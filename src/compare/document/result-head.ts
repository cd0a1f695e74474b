import type { z } from 'zod';
import { resultSchema, type Result } from '../../result/result.ts';

/** A result without its intervals, which are nearly all of its bytes. */
export type ResultHead = Omit<Result, 'intervals' | 'examples' | 'warnings'>;

/** The identity of a run, and what decides its comparability: small enough to be read of thousands. */
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
