import { ms, type Ms } from '../../base/time.ts';

/**
 * Errors in an agent's list of turns, each reported once. `repeated`: listed a second time, after an ambiguous retry.
 */
export interface TurnFaults {
  lost: number;
  duplicated: number;
  reordered: number;
  repeated: number;
}

/** The guard's finding on one reply. Contains no reply text. */
export interface Finding {
  /** Checks that were made, in order; the last one failed, if any did. */
  checked: readonly CheckName[];
  failed: CheckName | undefined;
  /** Description of the problem; '' if there was none. */
  detail: string;
  /** True if it lacked a requested tag before any reply contained one: no check fails because of that. */
  untagged: boolean;
  /** `undefined` if there was no list of turns to check, or no problem in it. */
  turnFaults: TurnFaults | undefined;
  /** True if the session had an ambiguous retry before this reply. */
  afterAmbiguousRetry: boolean;
  /** Set if the code was not repeated. */
  recall: Readonly<Recall> | undefined;
}

/** The checks of the integrity guard, in their order: the first that fails names the reply. */
export const checkNames = [
  'answered',
  'restarted',
  'crossed',
  'stale',
  'placeholder',
  'variables',
  'leakage',
  'turns',
  'continuity',
  'amnesia',
] as const;
export type CheckName = (typeof checkNames)[number];

/** The state of a session's code since it was sent, or last recalled. */
export interface Recall {
  /** Turn in which it was sent (turn 1) or last recalled. */
  sinceTurn: number;
  retries: number;
  /** Longest time between a turn's end and the next turn's send. */
  idleMs: Ms;
}

export function newRecall(): Recall {
  return { sinceTurn: 1, retries: 0, idleMs: ms(0) };
}

/** Describes a code that was not repeated. */
export function describeRecall({ sinceTurn, retries, idleMs }: Recall, turn: number): string {
  const since = sinceTurn === 1 ? '' : ` and repeated in turn ${String(sinceTurn)}`;
  const parts = [
    `${counted(turn - sinceTurn, 'turn')} later`,
    ...(retries === 0 ? [] : [`${counted(retries, 'retry', 'retries')} in between`]),
    ...(idleMs < 100 ? [] : [`idle ${String(Math.round(idleMs / 100) / 10)} s`]),
  ];
  return `the code given in turn 1${since} is missing (${parts.join(', ')})`;
}

const counted = (count: number, one: string, many = `${one}s`): string =>
  `${String(count)} ${count === 1 ? one : many}`;
