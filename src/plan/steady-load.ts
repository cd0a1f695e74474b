import { ms } from '../base/time.ts';
import type { Plan } from './plan.ts';
import type { Script } from './script.ts';

interface Steady {
  /** Sessions at a time. */
  concurrency: number;
  /** Turns of every session; `undefined`: as many as the scenario gives it. */
  turns?: number;
  /** The number of sessions; `null`: until it is stopped. */
  sessions: number | null;
}

/**
 * A scenario's sessions as steady closed load that shows what the two sides can do: messages and checks stay, but
 * there are no think times, no retries and no ramps, and a turn that goes wrong does not end its session.
 */
export function steadyLoad(
  { plan, script }: { plan: Plan; script: Script },
  { concurrency, turns, sessions }: Steady,
): { plan: Plan; script: Script } {
  const distribution = turns === undefined ? undefined : ({ kind: 'constant', turns } as const);
  const level = { startMs: ms(0), endMs: null, from: concurrency, to: concurrency };
  const none = { kind: 'constant', ms: ms(0) } as const;
  return {
    plan: {
      ...plan,
      sessions,
      durationMs: null,
      warmUpMs: ms(0),
      turns: distribution ?? plan.turns,
      load: { model: 'closed', segments: [level], maxTurnsInFlight: null },
      thinkTime: none,
      onFailedTurn: 'continue',
      retry: plan.retry.slice(0, 1).map((policy) => ({ ...policy, maxAttempts: 1, budget: null })),
      gates: {},
      abortGates: {},
      // The caller bounds such a load and judges its outcome.
      maxDurationMs: null,
      maxTurns: null,
      maxSessions: null,
      maxCost: null,
      stopWhen: { unusable: null, noSuccessMs: null, targetGoneMs: null },
    },
    script: {
      ...script,
      replay: undefined,
      turns: distribution ?? script.turns,
      conversations: turns === undefined ? script.conversations : script.conversations?.withTurns(turns),
      thinkTime: none,
      policies: 1,
    },
  };
}
