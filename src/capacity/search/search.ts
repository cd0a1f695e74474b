import type { Capacity, SearchOutcome } from '../document/capacity.ts';
import type { LoadUnit, Step, StepPurpose } from '../document/step.ts';
import type { Certainty } from '../judge/certainty.ts';
import type { Pace } from '../judge/gather-beats.ts';
import type { JudgedWindow, Pooled } from '../judge/judge-objective.ts';
import type { Objective } from '../objectives/objective.ts';

/** What is searched, and within which bounds: whole sessions by concurrency. */
export interface SearchSettings extends Readonly<Capacity['bounds']> {
  by: LoadUnit;
  objectives: readonly Objective[];
  /** Maximum number of concurrent sessions of a probe. */
  maxLive: number;
  /** Mean number of turns in a session. */
  sessionTurns: number;
  /** Whether `maxDurationMs` is a default, which long sessions extend. */
  isDurationUsual: boolean;
  /** Behind a broken step, without load. */
  restMs: number;
}

/** An end of the interval. */
export type SearchEnd = NonNullable<Capacity['holds']>;
export type BrokenEnd = NonNullable<Capacity['broken']>;
export type Recovery = Capacity['hysteresis']['recoveries'][number];

/** What a search found; its steps in the order in which they were played. */
export interface Search
  extends
    Pick<Capacity, 'outcome' | 'holds' | 'broken' | 'steps' | 'spent' | 'elapsedMs'>,
    Readonly<Capacity['hysteresis']> {
  /** Why it ended so, in a sentence, with the remedy where there is one. */
  reason: string;
}

/** A step with how sure it had to be. */
export interface Shown {
  step: Step;
  certainty: Certainty;
  /** When it ended, since the search began. */
  endedMs: number;
  /** Set for probes. */
  pace?: Pace;
  /** Whether latency or turns in flight still rose when it ended. */
  isRising?: boolean;
  /** Set for full steps that were long enough to be judged: common evidence of all of them at this load, up to this one. */
  pooled?: Pooled | null;
  window?: JudgedWindow;
}

export interface StepAsked {
  load: number;
  /** Unit of the load, if it is not that of the search. */
  by?: LoadUnit;
  purpose: StepPurpose;
  certainty: Certainty;
  /** Whether the load is far from the probable limit. */
  isRough?: boolean;
}

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

/** Loads as they are tried: whole sessions, or a rate of three digits. */
export function roundLoad(load: number, by: LoadUnit): number {
  return by === 'concurrency' ? Math.max(1, Math.round(load)) : Number(load.toPrecision(3));
}

/** Whether an interval is as narrow as was asked for, or as it can be. */
export function isNarrow({ low, high }: { low: number; high: number }, tolerance: number, by: LoadUnit): boolean {
  return high <= low * (1 + tolerance) * (1 + 1e-9) || (by === 'concurrency' && high - low <= 1);
}
