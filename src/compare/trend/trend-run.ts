import { groupOf } from '../document/group-of.ts';
import { headlineFigures } from '../figures/headline-figures.ts';
import type { ResultFacts, ResultHead } from '../document/result-head.ts';
import { releaseOf } from '../document/release-of.ts';
import type { RunReading } from '../document/run-figure.ts';

/** What a trend keeps of a result. */
export interface TrendRun {
  file: string;
  id: string;
  /** See `releaseOf`. */
  release: string;
  group: ReturnType<typeof groupOf>;
  /** ISO 8601, UTC. */
  startedAt: string;
  label: string | null;
  sitting: string | null;
  pair: string | null;
  commit: string | null;
  /** Why its figures are not those of a night; `null` when they are. */
  unfit: string | null;
  /** Whether it is degraded by its own verdict: its figures count, with a mark. */
  isDegraded: boolean;
  /** By metric; none until they are read, which is done for the nights that are looked at. */
  figures: ReadonlyMap<string, RunReading>;
}

/** A run without its figures. */
export function takeTrendRun(file: string, facts: ResultFacts): TrendRun {
  const { id, startedAt, label, sitting, pair } = facts.run;
  return {
    file,
    id,
    release: releaseOf(facts.run),
    group: groupOf(facts),
    startedAt,
    label,
    sitting,
    pair,
    commit: facts.environment?.git?.commit ?? null,
    unfit: unfitBecause(facts),
    isDegraded: facts.validity.verdict === 'degraded',
    figures: new Map(),
  };
}

export function addFigures(run: TrendRun, head: ResultHead): TrendRun {
  return { ...run, figures: headlineFigures(head) };
}

/** A run that ended early or that cannot be trusted would look like a change of the service. */
function unfitBecause({ run, validity }: ResultFacts): string | null {
  if (run.status !== 'completed') return `the run was ${run.status}`;
  return validity.verdict === 'invalid' ? 'the run is invalid' : null;
}
