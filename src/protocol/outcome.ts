/** What a class of outcomes means for reports, retries and the circuit. */
interface OutcomeTraits {
  readonly group: OutcomeGroup;
  readonly retriedByDefault: boolean;
  /** Whether a retry may repeat work that the service has already done: the POST carries no idempotency key. */
  readonly ambiguous: boolean;
}

export type OutcomeGroup =
  'ok' | '400' | 'auth' | '404' | '429' | '5xx' | 'provider' | 'other' | 'transport' | 'contract' | 'integrity';

const traits = (
  group: OutcomeGroup,
  retry: 'retried' | 'final' = 'final',
  risk: 'safe' | 'ambiguous' = 'safe',
): OutcomeTraits => ({
  group,
  retriedByDefault: retry === 'retried',
  ambiguous: risk === 'ambiguous',
});

/** Every class that a finished attempt can have, in the order of reports. Total and closed. */
export const attemptClasses = {
  ok: traits('ok'),
  missing_fields: traits('400'),
  chat_disabled: traits('400'),
  bad_request: traits('400'),
  unauthorized: traits('auth'),
  forbidden: traits('auth'),
  agent_not_found: traits('404'),
  not_found: traits('404'),
  rate_limited: traits('429', 'retried', 'safe'),
  internal_error: traits('5xx', 'retried', 'ambiguous'),
  server_error: traits('5xx', 'retried', 'ambiguous'),
  provider_rate_limited: traits('provider', 'retried', 'ambiguous'),
  provider_error: traits('provider', 'retried', 'ambiguous'),
  provider_rejected: traits('provider', 'final', 'ambiguous'),
  http_other: traits('other', 'final', 'ambiguous'),
  abandoned: traits('other', 'final', 'ambiguous'),
  connect_failed: traits('transport', 'retried', 'safe'),
  connection_lost: traits('transport', 'retried', 'ambiguous'),
  timed_out: traits('transport', 'retried', 'ambiguous'),
  malformed: traits('contract', 'final', 'ambiguous'),
  contract_broken: traits('contract', 'final', 'ambiguous'),
  truncated: traits('contract', 'final', 'ambiguous'),
  check_failed: traits('integrity', 'final', 'ambiguous'),
} as const satisfies Readonly<Record<string, OutcomeTraits>>;

/** The class of an attempt that came to an end by itself; `abandoned`: its user left before the reply was complete, which is no failure. */
export type FinishedClass = keyof typeof attemptClasses;
/** The class of an attempt that failed. */
export type FailedClass = Exclude<FinishedClass, 'ok' | 'abandoned'>;
/** The class of an attempt; `aborted` was in flight when the run was cut. */
export type AttemptClass = FinishedClass | 'aborted';
/** The class of a turn: that of its last attempt, or one of the turn-only classes. */
export type TurnClass = AttemptClass | 'skipped_prior_failure' | 'skipped_run_end';
/** What became of a planned session. */
export type SessionEnd = 'completed' | 'failed' | 'cut' | 'create_failed' | 'create_cut';

export const finishedClassNames = Object.keys(attemptClasses) as readonly FinishedClass[];
/** Classes of how an exchange ended, and of what is found elsewhere: no response states them. */
const unstated = [
  'ok',
  'abandoned',
  'connect_failed',
  'connection_lost',
  'timed_out',
  'truncated',
  'check_failed',
] as const satisfies readonly FinishedClass[];
/** The class of an error that a service states. */
export type ErrorClass = Exclude<FinishedClass, (typeof unstated)[number]>;
export const errorClassNames = finishedClassNames.filter(
  (name): name is ErrorClass => !unstated.some((each) => each === name),
);

export const failedClassNames = finishedClassNames.filter(
  (name): name is FailedClass => name !== 'ok' && name !== 'abandoned',
);
export const attemptClassNames: readonly AttemptClass[] = [...finishedClassNames, 'aborted'];
export const turnClassNames: readonly TurnClass[] = [...attemptClassNames, 'skipped_prior_failure', 'skipped_run_end'];

/** Whether an attempt failed: it is neither ok nor ended by its user or by the end of the run. */
export function isFailure(outcome: AttemptClass): outcome is FailedClass {
  return outcome !== 'ok' && !isBrokenOff(outcome);
}

/** The traits of a finished class. */
export function traitsOf(outcome: FinishedClass): OutcomeTraits {
  return attemptClasses[outcome];
}

/** Whether our side broke an attempt or turn off, so that it is neither ok nor failed: the run was cut, or its user left. */
export function isBrokenOff(outcome: TurnClass): outcome is 'aborted' | 'abandoned' {
  return outcome === 'aborted' || outcome === 'abandoned';
}

/** How an exchange ended without a complete, well-formed response. */
export type ExchangeFailure = Extract<
  AttemptClass,
  'connect_failed' | 'connection_lost' | 'timed_out' | 'malformed' | 'abandoned' | 'aborted'
>;
