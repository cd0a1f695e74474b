import type { Instant } from '../base/time.ts';
import type { CallOutcome, ModelApiName } from '../protocol/model-call.ts';
import type { Usage } from '../protocol/protocol.ts';

/** A model call whose request has been read. */
export interface CallStart {
  /** Number of the call, from 1 in order of arrival. */
  id: number;
  /** Arrival of the request's head, by the clock of the machine. */
  arrivedAt: Instant;
  api: ModelApiName;
  /** Model as requested; '' if the body has none. */
  model: string;
  /** 32 hexadecimal digits from `traceparent`; `undefined`: absent or invalid. */
  traceId: string | undefined;
  /** Span of the agent that `traceparent` names as the parent of the call: 16 hexadecimal digits. */
  parentId?: string | undefined;
  /** 32 hexadecimal digits from the header `model.header`. */
  headerTraceId: string | undefined;
  /** Text of the last user message; '' if there is none. */
  userText: string;
  /** Digest of route and body: equal for equal requests. */
  digest: string;
  /** Value of `x-stainless-retry-count`; 0 if absent. */
  retryCount: number;
  /** Chained digests of the input's blocks of 256 bytes: each covers all blocks before it, too. */
  blocks: readonly string[];
  /** Number of input tokens, as the service counts them. */
  inputTokens: number;
}

/** A model call that has ended. */
export interface CallEnd {
  id: number;
  /** Last byte of the response written, or the connection lost. Read before the last byte is written. */
  endedAt: Instant;
  outcome: CallOutcome;
  /** Kind of the injected fault; set for `injected` only. */
  fault?: string | undefined;
  /** Status sent; 0 if none was. */
  status: number;
  /** First content written; set only for streamed replies. */
  firstContentAt?: Instant | undefined;
  usage?: Usage | undefined;
  /** Model as the reply names it. */
  model: string;
  /** Largest delay of a write against the instant at which it was due, in milliseconds; `undefined` if nothing was due. */
  latenessMs?: number | undefined;
  /** The unique word in its text, if it is a scripted final reply and `model.delivered` is set. */
  word?: string | undefined;
}

/** Place of a call in the run: the draws of the service depend on it instead of the order of arrival. */
export interface CallPlace {
  /** Number of the session, from 1. */
  session: number;
  /** From 1; 0 for a creation. */
  turn: number;
  /** Number of the call within its turn, from 1. */
  call: number;
}

/** Receives the events of the model service, in order. Calls are cheap and never throw. */
export interface ModelObserver {
  /** Returns the place of the call in the run; `undefined` if it is not known. */
  callStarted(call: CallStart): CallPlace | undefined;
  callEnded(end: CallEnd): void;
  /** Called for a request that is no model call: the list of models, or an unknown path. */
  otherRequest(at: Instant): void;
  connectionOpened(at: Instant): void;
}
