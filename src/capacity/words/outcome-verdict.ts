import type { SearchOutcome } from '../document/capacity.ts';

/**
 * How a search came out, as its last line says it. `passed`: there is an answer. `failed`: the service does not do what
 * was asked at any load that was allowed, or the search was ended from outside. `invalid`: no answer, or one in part.
 */
export const outcomeVerdicts: Readonly<Record<SearchOutcome, 'passed' | 'failed' | 'invalid'>> = {
  found: 'passed',
  holds_at_most: 'passed',
  fails_at_least: 'failed',
  generator_limited: 'invalid',
  not_recovered: 'failed',
  undecided: 'invalid',
  bounded: 'invalid',
  interrupted: 'failed',
  stopped: 'failed',
};
