import type { SearchOutcome } from '../document/capacity.ts';
import type { LoadUnit, Step } from '../document/step.ts';
import type { Objective } from '../objectives/objective.ts';

/** What is searched, and within which bounds. */
export interface SearchSettings {
  by: LoadUnit;
  objectives: readonly Objective[];
  /** The lowest and the highest load that may be tried: whole sessions by concurrency. */
  least: number;
  most: number;
  /** Maximum number of concurrent sessions of a probe. */
  maxLive: number;
  /** Mean number of turns in a session. */
  sessionTurns: number;
  /** Of the interval, as a share of its lower end. */
  width: number;
  /** The longest step. */
  maxStepMs: number;
  /** Of the whole search; `null`: no bound. */
  maxDurationMs: number | null;
  /** Whether that is a default, which long sessions extend. */
  isDurationUsual: boolean;
  maxTurns: number | null;
  maxSessions: number | null;
  maxCost: number | null;
  /** Behind a broken step, without load. */
  restMs: number;
}

/** An end of the interval. */
export interface SearchEnd {
  load: number;
  /** The numbers of the steps that show it. */
  steps: number[];
}

export interface BrokenEnd extends SearchEnd {
  /** The metric that broke; `null`: the queue grew without bound before any did. */
  objective: string | null;
  reason: string;
  isSaturated: boolean;
}

export interface Recovery {
  afterStep: number;
  load: number;
  /** From the end of the broken step; `null`: it did not, as long as was waited. */
  recoveredMs: number | null;
}

/** What a search found. */
export interface Search {
  outcome: SearchOutcome;
  /** Why it ended so, in a sentence, with the remedy where there is one. */
  reason: string;
  holds: SearchEnd | null;
  broken: BrokenEnd | null;
  /** In the order in which they were played. */
  steps: Step[];
  recoveries: Recovery[];
  /** Loads that held before a broken step and not behind it. */
  brokeWhereItHeld: number[];
  spent: { turns: number; sessions: number; cost: number };
  elapsedMs: number;
}
