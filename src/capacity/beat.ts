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
