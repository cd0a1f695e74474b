import type { AttemptClass, TurnClass } from '../protocol/outcome.ts';
import type { CallOutcome, ModelApiName } from '../protocol/model-call.ts';
import type { Usage } from '../protocol/protocol.ts';
import type { EqualCalls, Relation } from './equal-calls.ts';
import type { SharedPrefix } from './shared-prefixes.ts';

/** Basis of the attribution of a call: a trace id, or the text of the user's message. */
export type Attribution = 'traced' | 'matched';

/** A model call, from its arrival until it is counted. Instants are whole microseconds since the start of the run. */
export interface CallAccount {
  readonly id: number;
  readonly arrivedUs: number;
  readonly api: ModelApiName;
  readonly model: string;
  readonly digest: string;
  readonly retryCount: number;
  readonly inputBytes: number;
  shared: SharedPrefix | undefined;
  /** Hash of the last user message while the match by text is undecided. */
  textHash: string | undefined;
  attempt: AttemptAccount | undefined;
  attribution: Attribution | undefined;
  end: CallResult | undefined;
  /** True if it arrived before its turn was counted. */
  isOfTurn: boolean;
  /** `undefined` until its attempt is counted. */
  relation: Relation | undefined;
  /** Known cost in billionths; 0 if unknown. */
  nanos: number;
}

/** The end of a call. */
export interface CallResult {
  readonly endedUs: number;
  readonly outcome: CallOutcome;
  readonly fault: string | undefined;
  readonly status: number;
  readonly firstContentUs: number | undefined;
  readonly usage: Usage | undefined;
  readonly model: string;
  readonly latenessMs: number | undefined;
  readonly word: string | undefined;
}

/** A turn, from its first attempt or call until a second after its end. */
export interface TurnAccount {
  readonly session: number;
  /** 0 for a creation. */
  readonly turn: number;
  readonly attempts: AttemptAccount[];
  /** Number of calls that received a number. */
  numbered: number;
  end: TurnEnd | undefined;
  isCounted: boolean;
}

/** The record of the end of a turn. */
export interface TurnEnd extends Phase {
  readonly outcome: TurnClass;
  readonly attempts: number;
  readonly firstSentUs: number;
  readonly endedUs: number;
}

/** Part of the run in which an observation is counted. */
export interface Phase {
  readonly policy: number;
  readonly warmUp: boolean;
  /** Part of the record that it belongs to: its shard's, from 1; 0 without a shard, and if there is only one. */
  readonly part: number;
}

/** The record of the beginning of an attempt. */
export interface AttemptBegin extends Phase {
  readonly sentUs: number;
  readonly textHash: string;
}

/** The record of the end of an attempt. */
export interface AttemptEnd {
  readonly outcome: AttemptClass;
  readonly endedUs: number;
  readonly firstTokenUs: number | undefined;
  readonly words: readonly string[];
}

/** An attempt, from its begin or its first call until its late calls are no longer expected. */
export interface AttemptAccount {
  readonly traceId: string;
  readonly number: number;
  readonly turn: TurnAccount;
  /** Calls that arrived before its turn was counted. */
  calls: CallAccount[];
  readonly equals: EqualCalls;
  /** `undefined` while only calls are known of it. */
  begin: AttemptBegin | undefined;
  end: AttemptEnd | undefined;
  isCounted: boolean;
  /** False if the attempt of its calls is uncertain: a turn with several attempts and calls matched by text. */
  isCertain: boolean;
  /** Relay of the first token while calls that may have produced it are open. */
  relay: { readonly open: Set<CallAccount>; latestUs: number } | undefined;
  /** Known cost of its calls. */
  nanos: number;
}
