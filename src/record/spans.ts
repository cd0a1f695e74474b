import { hashOf, keyOf } from '../base/random.ts';
import type { Instant } from '../base/time.ts';

/** Position of a span in the tracing system. */
export interface SpanPlace {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
}

/** A span that has ended. Contains no text of a message, of a reply or of the service. */
export interface EndedSpan extends SpanPlace {
  name: string;
  kind: 'client' | 'server' | 'internal';
  parentId?: string | undefined;
  /** Related span of another trace. */
  link?: SpanPlace | undefined;
  /** False if it is exported although its `traceparent` was sent with the flag 00. */
  isSampled: boolean;
  startedAt: Instant;
  endedAt: Instant;
  isFailed: boolean;
  /** Values that are `undefined` are not exported. */
  attributes: Readonly<Record<string, string | number | undefined>>;
}

/** Span of an attempt, whose ids its `traceparent` contains. Every attempt has a trace of its own. */
export function attemptPlace(traceId: string): SpanPlace {
  return { traceId, spanId: traceId.slice(16) };
}

/** Span of the turn around an attempt, in the trace of that attempt. */
export function turnPlace(traceId: string): SpanPlace {
  return { traceId, spanId: traceId.slice(0, 16) };
}

/** Value of `traceparent` for an attempt. */
export function parentText(traceId: string, isSampled: boolean): string {
  return `00-${traceId}-${attemptPlace(traceId).spanId}-${isSampled ? '01' : '00'}`;
}

const sampleKey = keyOf('trace share');

/** Returns the decision for each session: the same for every attempt, in every process, and in a run with the same seed. */
export function sampler(seed: number, share: number): (session: number) => boolean {
  return (session) => (hashOf([sampleKey, seed, session]) >>> 0) / 2 ** 32 < share;
}
