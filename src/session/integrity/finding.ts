import type { CheckName } from './check-names.ts';
import type { Recall } from './recall.ts';

/**
 * Turns that an agent's own list of turns got wrong, each reported once. `repeated`: a second time, after an ambiguous
 * retry.
 */
export interface TurnFaults {
  lost: number;
  duplicated: number;
  reordered: number;
  repeated: number;
}

/** The guard's finding on one reply. Contains no reply text. */
export interface Finding {
  /** The checks that were made, in their order; the last one is the one that failed, if any did. */
  checked: readonly CheckName[];
  failed: CheckName | undefined;
  /** What was wrong, in words for a person; '' when nothing was. */
  detail: string;
  /** Whether it held no tag though it was asked to, and no reply had held one yet: no check fails for that. */
  untagged: boolean;
  /** `undefined` when there was no list of turns to look at, or nothing was wrong with it. */
  turnFaults: TurnFaults | undefined;
  /** Whether the session had an ambiguous retry before this reply. */
  afterAmbiguousRetry: boolean;
  /** Where the code was not repeated. */
  recall: Readonly<Recall> | undefined;
}
