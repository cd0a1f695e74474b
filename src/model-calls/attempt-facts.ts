import type { Instant } from '../base/time.ts';
import type { AttemptClass, TurnClass } from '../protocol/outcome.ts';

/** An attempt that was sent. Instants are those of the machine's clock. */
export interface AttemptBegun {
  kind: 'begun';
  /** 32 hexadecimal digits. */
  traceId: string;
  session: number;
  /** From 1; 0 for a creation. */
  turn: number;
  /** Within its turn or creation, from 1. */
  attempt: number;
  /** Index of the retry policy. */
  policy: number;
  /** Hash of the normalized message, for the match by text; '' for a creation. */
  textHash: string;
  sentAt: Instant;
  /** First send of its turn: decides whether it is warm-up. */
  countedFrom: Instant;
}

/** An attempt that has ended. */
export interface AttemptEnded {
  kind: 'ended';
  traceId: string;
  outcome: AttemptClass;
  endedAt: Instant;
  firstTokenAt: Instant | undefined;
  /** First and last 10 words of the reply that look like unique words of the model service; for `model.delivered`. */
  words: readonly string[];
}

/** A turn that has ended; its attempts have ended before. */
export interface TurnEnded {
  kind: 'turn';
  /** Trace id of its last attempt. */
  traceId: string;
  session: number;
  turn: number;
  policy: number;
  outcome: TurnClass;
  attempts: number;
  firstSentAt: Instant;
  endedAt: Instant;
}

/** Facts about attempts that generator processes send to the model process, in order, in batches of at most 20 ms. */
export type AttemptFact = AttemptBegun | AttemptEnded | TurnEnded;
