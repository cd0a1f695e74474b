import type { RunFacts } from '../../result/sections/run-facts.ts';

/** What runs of one sitting share; a run on its own is a sitting of its own. */
export function sittingOf({ id, sitting }: Pick<RunFacts, 'id' | 'sitting'>): string {
  return sitting === null ? `run ${id}` : `sitting ${sitting}`;
}
