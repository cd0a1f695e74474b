/** A counted event. */
export interface Fact {
  /** Such as `turn.ok`, or `time.effective.ok` for a length of time. */
  what: string;
  /** When it happened, and so the interval that it belongs to. */
  at: number;
  /** When it was known. */
  toldAt: number;
  /** The instant that decides whether it belongs to the warm-up. */
  from: number;
  /** The index of its retry policy. */
  policy: number;
  /** A length of time in milliseconds, or how often it happened. */
  value: number;
}

/** A span in which a session was live or a turn in flight; `until` is Infinity if it still is. */
export interface RunPart {
  of: 'session' | 'turn';
  from: number;
  until: number;
}

export type Note = (what: string, fact: { from: number; policy: number; at?: number; value?: number }) => void;

/** Everything that a run does, as it is to be. */
export interface Foreseen {
  facts: readonly Fact[];
  stretches: readonly RunPart[];
  endedAt: number;
  /** From when on no session may start, nothing may be sent, and nothing be in flight. */
  drainedAt: number;
  haltedAt: number;
  cutAt: number;
  stop: string | null;
}
