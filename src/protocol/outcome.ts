/** Meaning of a class of outcomes for reports, retries and the circuit. */
interface OutcomeTraits {
  readonly group: OutcomeGroup;
  readonly retriedByDefault: boolean;
  /** True if a retry may repeat work that the service has already done, because the POST has no idempotency key. */
  readonly ambiguous: boolean;
}

export type OutcomeGroup =
  'ok' | '400' | 'auth' | '404' | '429' | '5xx' | 'provider' | 'other' | 'transport' | 'contract' | 'integrity';

/** Evidence of a class: a service states it in an error, a reply shows it, or only the client observes it. */
type Source = 'stated' | 'shown' | 'client';

const seen =
  <const From extends Source>(source: From) =>
  (group: OutcomeGroup, retry: 'retried' | 'final' = 'final', risk: 'safe' | 'ambiguous' = 'safe') => ({
    source,
    group,
    retriedByDefault: retry === 'retried',
    ambiguous: risk === 'ambiguous',
  });
const stated = seen('stated');
const shown = seen('shown');
const byClient = seen('client');

/** All classes of finished attempts, in the order of reports. */
export const attemptClasses = {
  ok: shown('ok'),
  missing_fields: stated('400'),
  chat_disabled: stated('400'),
  bad_request: stated('400'),
  unauthorized: stated('auth'),
  forbidden: stated('auth'),
  agent_not_found: stated('404'),
  not_found: stated('404'),
  rate_limited: stated('429', 'retried', 'safe'),
  internal_error: stated('5xx', 'retried', 'ambiguous'),
  server_error: stated('5xx', 'retried', 'ambiguous'),
  provider_rate_limited: stated('provider', 'retried', 'ambiguous'),
  provider_error: stated('provider', 'retried', 'ambiguous'),
  provider_rejected: stated('provider', 'final', 'ambiguous'),
  http_other: stated('other', 'final', 'ambiguous'),
  abandoned: byClient('other', 'final', 'ambiguous'),
  connect_failed: byClient('transport', 'retried', 'safe'),
  connection_lost: byClient('transport', 'retried', 'ambiguous'),
  timed_out: byClient('transport', 'retried', 'ambiguous'),
  malformed: stated('contract', 'final', 'ambiguous'),
  contract_broken: stated('contract', 'final', 'ambiguous'),
  truncated: shown('contract', 'final', 'ambiguous'),
  check_failed: byClient('integrity', 'final', 'ambiguous'),
} as const satisfies Readonly<Record<string, OutcomeTraits>>;

/** Class of an attempt that ended by itself; `abandoned`: its user left before the reply was complete, which is not a failure. */
export type FinishedClass = keyof typeof attemptClasses;
/** Class of a failed attempt. */
export type FailedClass = Exclude<FinishedClass, 'ok' | 'abandoned'>;
/** Class of an attempt; `aborted` was in flight when the run was cut. */
export type AttemptClass = FinishedClass | 'aborted';
/** Class of a turn: the class of its last attempt, or a turn-only class. */
export type TurnClass = AttemptClass | 'skipped_prior_failure' | 'skipped_run_end';
/** Result of a planned session. */
export type SessionEnd = 'completed' | 'failed' | 'cut' | 'create_failed' | 'create_cut';

export const finishedClassNames = Object.keys(attemptClasses) as readonly FinishedClass[];
/** The finished classes of some sources. */
export type ClassSeen<From extends Source> = {
  [Name in FinishedClass]: (typeof attemptClasses)[Name]['source'] extends From ? Name : never;
}[FinishedClass];
/** Class of an error that a service states. */
export type ErrorClass = {
  [Name in FinishedClass]: (typeof attemptClasses)[Name]['source'] extends 'stated' ? Name : never;
}[FinishedClass];

/** Returns the classes of some sources, in the order of reports. */
export function classNamesSeen<From extends Source>(...sources: readonly From[]): readonly ClassSeen<From>[] {
  return finishedClassNames.filter((name): name is ClassSeen<From> =>
    sources.some((source) => source === attemptClasses[name].source),
  );
}
export const errorClassNames = classNamesSeen('stated');

export const failedClassNames = finishedClassNames.filter(
  (name): name is FailedClass => name !== 'ok' && name !== 'abandoned',
);
export const attemptClassNames: readonly AttemptClass[] = [...finishedClassNames, 'aborted'];
export const turnClassNames: readonly TurnClass[] = [...attemptClassNames, 'skipped_prior_failure', 'skipped_run_end'];

/** Reports whether an attempt failed: neither ok nor ended by its user or by the end of the run. */
export function isFailure(outcome: AttemptClass): outcome is FailedClass {
  return outcome !== 'ok' && !isBrokenOff(outcome);
}

/** Returns the traits of a finished class. */
export function traitsOf(outcome: FinishedClass): OutcomeTraits {
  return attemptClasses[outcome];
}

/** Reports whether the client side ended an attempt or turn, so that it is neither ok nor failed: the run was cut, or its user left. */
export function isBrokenOff(outcome: TurnClass): outcome is 'aborted' | 'abandoned' {
  return outcome === 'aborted' || outcome === 'abandoned';
}

/** End of an exchange without a complete, well-formed response. */
export type ExchangeFailure = Extract<
  AttemptClass,
  'connect_failed' | 'connection_lost' | 'timed_out' | 'malformed' | 'abandoned' | 'aborted'
>;
