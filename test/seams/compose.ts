import type { RetryPolicyOptions, Scenario } from '../../src/scenario/scenario.ts';
import { factors, type Row, type Signals } from './factors.ts';
import type { FaultKind } from './service-model.ts';

/** A run to be made: a scenario, and what happens to it. */
export interface Setting {
  scenario: Scenario;
  faults: FaultKind;
  signals: Signals;
  repeat: number;
  killedAfter: number;
}

/** Figures that every result must have, whatever their values: conditions that always hold. */
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
      // The service knows the caller.
      messages: ['{{session.number}} {{turn.number}}'],
      checks: { unspoilt: (reply) => reply !== 'spoilt' },
      ...factors.extent[row.extent],
      ...warmUpOf(row),
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

/** All of a number of sessions, of anything else all but the last half second: more is refused. */
function warmUpOf({ warmUp, extent, load, stopRule }: Row): Partial<Scenario> {
  const bounds: Partial<Scenario> = { ...factors.extent[extent], ...factors.stopRule[stopRule] };
  const stages = load === 'closedStages' ? 5200.5 : load === 'openStages' ? 5200 : Infinity;
  const ends = [bounds.duration, bounds.maxDuration].map((end) => (typeof end === 'number' ? end : Infinity));
  const end = Math.min(...ends, bounds.duration === undefined ? stages : Infinity);
  return warmUp === 'throughout' && end < Infinity ? { warmUp: end - 500 } : factors.warmUp[warmUp];
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
