import type { SearchOutcome } from '../document/capacity.ts';
import type { SearchSettings } from './search.ts';
import type { Shown, StepAsked } from './step-runner.ts';

/** What a search does next: a step, or nothing any more. */
export type Decision = { play: StepAsked } | { end: SearchOutcome; reason: string };

export interface SearchState {
  settings: SearchSettings;
  /** All that claim something: without those that look whether the service has recovered. */
  shown: readonly Shown[];
  ceiling: { load: number; why: string };
  /** Longest full step at present: a shorter one that was undecided may be played again. */
  fullMs: number;
  /** Turns of the longest full step, by the highest throughput of a probe. */
  fullTurns: number;
}
