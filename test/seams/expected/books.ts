import type { Plan } from '../../../src/plan/plan.ts';
import type { Tree } from '../figures.ts';
import type { Tally } from './tally.ts';

const sessionStates = [
  ...['started', 'created', 'completed', 'failed', 'cut', 'create_failed', 'create_cut'],
  ...['dropped', 'not_started', 'not_started_due', 'lost', 'lost_creating'],
];

/** Returns the expected counts of a run, or of its warm-up. */
export function booksOf(tally: Tally, planned: number): Tree {
  return {
    sessions: {
      planned,
      ...Object.fromEntries(sessionStates.map((state) => [state, tally.count(`session.${state}`)])),
    },
    turns: {
      ...Object.fromEntries(
        ['planned', 'sent', 'ok', 'failed', 'aborted', 'carried_over', 'lost'].map((state) => [
          state,
          tally.count(`turn.${state}`),
        ]),
      ),
      skipped_prior_failure: tally.count('turnClass.skipped_prior_failure'),
      skipped_run_end: tally.count('turnClass.skipped_run_end'),
    },
    attempts: attemptsOf(tally, ''),
    createAttempts: attemptsOf(tally, 'create.'),
  };
}

const attemptsOf = (tally: Tally, of: '' | 'create.'): Tree => ({
  total: tally.sum(`${of}attempt.`),
  retries: tally.sum(`${of}retry.`),
  aborted: tally.count(`${of}attempt.aborted`),
  lost: tally.count(`${of}attempt.lost`),
});

/** Counts planned sessions; with a duration and no number, those that became due or took a slot. */
export function plannedOf({ sessions }: Plan, tally: Tally): number {
  return sessions ?? sessionsOf(tally, ['started', 'dropped', 'not_started_due']);
}

/** The number in the warm-up was not planned. */
export function plannedInWarmUp(tally: Tally): number {
  return sessionsOf(tally, ['started', 'dropped', 'not_started']);
}

const sessionsOf = (tally: Tally, states: readonly string[]): number =>
  states.reduce((sum, state) => sum + tally.count(`session.${state}`), 0);

/** Returns the quotas used by a run, warm-up included. */
export function spendingOf({ cost }: Plan, tally: Tally): Tree {
  return {
    turns: tally.sum('attempt.'),
    sessions: tally.sum('create.attempt.'),
    cost: cost === null ? null : tally.count('cost'),
  };
}
