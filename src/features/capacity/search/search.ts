import type { Capacity, SearchOutcome } from '../document/capacity.ts';
import type { LoadUnit, Step, StepPurpose } from '../document/step.ts';
import type { Certainty } from '../judge/certainty.ts';
import type { Pace } from '../judge/gather-beats.ts';
import type { JudgedWindow, Pooled } from '../judge/judge-objective.ts';
import type { Objective } from '../judge/objective.ts';

export interface SearchSettings extends Readonly<Capacity['bounds']> {
  by: LoadUnit;
  objectives: readonly Objective[];
  maxLive: number;
  sessionTurns: number;
  /** True if `maxDurationMs` is a default, which long sessions extend. */
  isDurationUsual: boolean;
  restMs: number;
}

export type SearchEnd = NonNullable<Capacity['holds']>;
export type BrokenEnd = NonNullable<Capacity['broken']>;
export type Recovery = Capacity['hysteresis']['recoveries'][number];

/** Findings of a search; steps in the order in which they ran. */
export interface Search
  extends
    Pick<Capacity, 'outcome' | 'holds' | 'broken' | 'steps' | 'spent' | 'elapsedMs'>,
    Readonly<Capacity['hysteresis']> {
  reason: string;
}

export interface Shown {
  step: Step;
  certainty: Certainty;
  /** End of the step, since the search began. */
  endedMs: number;
  pace?: Pace;
  /** True if latency or turns in flight still rose when it ended. */
  isRising?: boolean;
  /** Set for full steps that were long enough to be judged: combined evidence of all of them at this load, up to this one. */
  pooled?: Pooled | null;
  window?: JudgedWindow;
}

export interface StepRequest {
  load: number;
  by?: LoadUnit;
  purpose: StepPurpose;
  certainty: Certainty;
  isRough?: boolean;
}

export type Decision = { play: StepRequest } | { end: SearchOutcome; reason: string };

export interface SearchState {
  settings: SearchSettings;
  /** Steps that count as evidence: all except recovery steps. */
  shown: readonly Shown[];
  ceiling: { load: number; why: string };
  /** Maximum duration of a full step at present: a shorter undecided one may be repeated. */
  fullMs: number;
  /** Turns of a full step of that duration, by the highest throughput of a probe. */
  fullTurns: number;
}

/** Rounds a load to whole sessions, or to a rate of three digits. */
export function roundLoad(load: number, by: LoadUnit): number {
  return by === 'concurrency' ? Math.max(1, Math.round(load)) : Number(load.toPrecision(3));
}

/** Reports whether an interval is within the tolerance, or cannot be narrower. */
export function isNarrow({ low, high }: { low: number; high: number }, tolerance: number, by: LoadUnit): boolean {
  return high <= low * (1 + tolerance) * (1 + 1e-9) || (by === 'concurrency' && high - low <= 1);
}
