import type { LoadUnit, StepFigures, StepPurpose } from './document/step.ts';

/** What ended in a stretch of a step, a second as a rule, and how much was under way in it. */
export interface Beat {
  /** Since the step's start. */
  startMs: number;
  lengthMs: number;
  /** Turns that ended, ok or failed, and their mean latency in milliseconds; `null` without any. */
  turns: number;
  turnMeanMs: number | null;
  sessionsStarted: number;
  /** However they ended. */
  sessionsEnded: number;
  /** Means over the stretch: sessions, and turns. */
  sessionsLive: number;
  turnsInFlight: number;
  /** One an objective, in their order. */
  parts: readonly Part[];
}

/**
 * What a stretch says of one objective, as a part of a whole that both add up: turns over the limit of turns
 * (`turn.p95 < 2s` holds while under 5 % of the turns are over 2 s), attempts of turns (amplification), violations of
 * replies.
 */
export interface Part {
  part: number;
  whole: number;
}

/** A step that is asked for: fresh sessions at a steady load. */
export interface StepOrder {
  /** From 1. */
  number: number;
  /** Concurrent sessions, or sessions per second. */
  load: number;
  by: LoadUnit;
  purpose: StepPurpose;
  /** When it ends at the latest, whatever was seen. */
  maxMs: number;
  /** How many messages it may send at most; `null`: no bound. */
  maxTurns: number | null;
  /** Maximum number of sessions that it starts; `null`: no bound. */
  maxSessions: number | null;
}

/** Follows a step; `stop`: enough is known, and nothing more is to be sent. */
export interface StepWatch {
  beat(beat: Beat): 'go' | 'stop';
  /** From when on it is judged, in milliseconds since the step's start: its figures are of that time. */
  readonly settledMs: number;
}

/** A step that has ended. */
export interface PlayedStep {
  elapsedMs: number;
  /** Messages that were sent, retries included; all, the time before it had settled too. */
  sent: number;
  sessions: number;
  /** Upper bounds on the messages and sessions of lost processes that are in neither count: caps count them as spent. */
  unseen?: { turns: number; sessions: number };
  /** In the currency of the scenario's `cost`. */
  cost: number;
  figures: StepFigures;
  /** Values of the objectives, in their units; an objective that is missing has none. */
  values?: Readonly<Record<string, number | null>>;
  /** Why the generator could not carry it, and what would; `null`: it could. */
  generatorLimit: { message: string; remedy: string } | null;
  /** What ended the whole search in it: a signal, an unreachable target, an error; `null`: nothing. */
  stop: { kind: string; why: string } | null;
}

/** Plays steps against a target, one after another. */
export interface StepPlayer {
  play(order: StepOrder, watch: StepWatch): Promise<PlayedStep>;
  /** Waits without load. Resolves at once when a signal has come. */
  rest(forMs: number): Promise<void>;
  /** The time since the search began. */
  elapsedMs(): number;
}
