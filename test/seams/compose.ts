import type { RetryPolicyOptions, Scenario } from '../../src/scenario/scenario.ts';
import { factors, type Row, type Signals } from './factors.ts';
import type { FaultKind } from './service-law.ts';

/** A run to be made: a scenario, and what happens to it. */
export interface Setting {
  scenario: Scenario;
  faults: FaultKind;
  signals: Signals;
  repeat: number;
  killedAfter: number;
}

/** Figures that every result is to tell, whatever they are: conditions that always hold. */
const readThrough = {
  'turns.failedShare': '>= 0%',
  'sessions.startedShare': '>= 0%',
  'sessions.failedShare': '>= 0%',
  'sessions.dropped': '>= 0',
  'goodput.share': '>= 0%',
  'attempts.failedShare': '>= 0%',
} as const;

/** The run of a row. `retries.amplification` is below 1 at no instant. */
export function compose(row: Row, seed: number): Setting {
  const stopRule: Partial<Scenario> = factors.stopRule[row.stopRule];
  return {
    scenario: {
      name: 'seams',
      seed,
      // The service is told who speaks.
      messages: ['{{session.number}} {{turn.number}}'],
      checks: { unspoilt: (reply) => reply !== 'spoilt' },
      ...factors.extent[row.extent],
      ...factors.warmUp[row.warmUp],
      ...factors.turns[row.turns],
      ...factors.thinkTime[row.thinkTime],
      ...factors.cap[row.cap],
      ...factors.onFailedTurn[row.onFailedTurn],
      ...factors.grace[row.grace],
      ...factors.objective[row.objective],
      ...stopRule,
      load: { ...factors.load[row.load], ...factors.turnsInFlight[row.turnsInFlight] },
      retry: withBudget(factors.retry[row.retry], factors.budget[row.budget]),
      gates: { ...readThrough, 'retries.amplification': { gate: '>= 1', abort: true }, ...stopRule.gates },
    },
    faults: factors.faults[row.faults],
    signals: factors.signals[row.signals],
    repeat: factors.repeat[row.repeat],
    killedAfter: factors.killed[row.killed],
  };
}

const withBudget = (
  policies: Readonly<Record<string, RetryPolicyOptions | 'none'>>,
  budget: RetryPolicyOptions['budget'] | undefined,
): Record<string, RetryPolicyOptions | 'none'> =>
  Object.fromEntries(
    Object.entries(policies).map(([name, policy]) => [
      name,
      policy === 'none' || budget === undefined ? policy : { ...policy, budget },
    ]),
  );
