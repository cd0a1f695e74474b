import type { Instant, Ms } from '../base/time.ts';
import type { Usage } from '../protocol/protocol.ts';

/** A POST of the agent to a generation or embeddings route of the model service, at its arrival. */
export interface ModelCallStart {
  /** Unique within the service. */
  id: number;
  /** By the clock of the model service. */
  arrivedAt: Instant;
  /** The name of the API, as in the registry of protocols. */
  api: string;
  kind: 'generation' | 'embedding';
  /** The trace ID of `traceparent`: 32 hexadecimal digits. */
  traceId: string | undefined;
  /** The value of the header that the scenario names in `model.header`. */
  headerTraceId: string | undefined;
  /** Digest of the normalized last user message; `undefined`: none. */
  messageDigest: string | undefined;
  /** Digest of route and body: equal calls are equal here. */
  digest: string;
  /** True if the client's own header reports a retry (`x-stainless-retry-count` above 0). */
  isMarkedRetry: boolean;
}

/** The classes of model calls: each call ends in exactly one. */
export const modelCallOutcomes = [
  'ok',
  'injected',
  'rate_limited',
  'rejected',
  'cancelled',
  'upstream_failed',
  'open_at_end',
] as const;
export type ModelCallOutcome = (typeof modelCallOutcomes)[number];

/** The end of a call: the last byte of its response was written, or its connection ended. */
export interface ModelCallEnd {
  id: number;
  endedAt: Instant;
  outcome: ModelCallOutcome;
  /** Kind of the fault; set only for `injected`. */
  fault: string | undefined;
  /** The first content event was written; `undefined`: none was. */
  firstContentAt: Instant | undefined;
  /** True if the reply is a final answer, not a tool call. */
  isFinal: boolean;
  /** The word of a final answer by which `model.delivered` recognizes it. */
  word: string | undefined;
  /** Token usage as sent to the agent. */
  usage: Usage | undefined;
  /** Shared prefix with earlier calls, in tokens of the input, by where the earlier call belongs; `undefined`: not computed. */
  cacheable: { sameTurn: number; earlierTurn: number; otherSession: number } | undefined;
  /** Time that the call waited for a slot. */
  queuedMs: Ms;
  /** Instant written minus instant due, of every write that had a due instant: the largest of this call. */
  latenessMs: Ms;
}

/** Receives the calls of the model service, in the order of their events. Calls are cheap and never throw. */
export interface ModelCallObserver {
  started(call: ModelCallStart): void;
  ended(end: ModelCallEnd): void;
  /** A request that is not a model call (model list, unknown path). */
  other(): void;
}
