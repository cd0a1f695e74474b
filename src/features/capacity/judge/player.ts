import type { LoadUnit, StepFigures, StepPurpose } from '../document/step.ts';

/** Events and levels of an interval of a step, usually one second. */
export interface Beat {
  startMs: number;
  lengthMs: number;
  /** Turns that ended, ok or failed, and their mean latency in milliseconds; `null` if there are none. */
  turns: number;
  turnMeanMs: number | null;
  sessionsStarted: number;
  sessionsEnded: number;
  /** Mean numbers of live sessions and of turns in flight. */
  sessionsLive: number;
  turnsInFlight: number;
  parts: readonly Part[];
}

/**
 * Contribution of an interval to one objective, as a part of a whole; both are additive: turns over the limit of turns
 * (`turn.p95 < 2s` holds while under 5 % of the turns are over 2 s), attempts of turns (amplification), violations of
 * replies.
 */
export interface Part {
  part: number;
  whole: number;
}

export interface StepOrder {
  number: number;
  /** Concurrent sessions, or sessions per second. */
  load: number;
  by: LoadUnit;
  purpose: StepPurpose;
  maxMs: number;
  maxTurns: number | null;
  maxSessions: number | null;
}

/** Follows a step; `stop`: the verdict is known, nothing more must be sent. */
export interface StepWatch {
  beat(beat: Beat): 'go' | 'stop';
  /** Start of the judged part, in milliseconds since the start of the step: its figures cover that part. */
  readonly settledMs: number;
}

export interface PlayedStep {
  elapsedMs: number;
  /** Messages sent, retries included, over the whole step. */
  sent: number;
  sessions: number;
  /** Upper bounds on the messages and sessions of lost processes that neither count includes: budgets count them as spent. */
  unseen?: { turns: number; sessions: number };
  cost: number;
  figures: StepFigures;
  /** Values of the objectives, in their units; an objective without a value is omitted. */
  values?: Readonly<Record<string, number | null>>;
  /** Reason why the generator could not send the load, and a remedy; `null` if it could. */
  generatorLimit: { message: string; remedy: string } | null;
  /** Event that ended the whole search: a signal, an unreachable target, an error; `null`: none. */
  stop: { kind: string; why: string } | null;
}

export interface StepPlayer {
  play(order: StepOrder, watch: StepWatch): Promise<PlayedStep>;
  rest(forMs: number): Promise<void>;
  elapsedMs(): number;
}
