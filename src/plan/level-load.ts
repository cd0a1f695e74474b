import { ms, type Ms } from '../base/time.ts';
import { digestOf } from './digest.ts';
import type { Load, Plan } from './plan.ts';
import { meanOf } from './distributions.ts';
import type { Script } from './script.ts';

/** The length of a load and its gates, left out where the caller decides on both. */
const unbounded = { durationMs: null, warmUpMs: ms(0), gates: {}, abortGates: {}, maxDurationMs: null };

/** A steady load for as long as it is looked at. */
export interface LevelLoad {
  by: 'concurrency' | 'rate';
  /** Sessions at a time, or sessions a second. */
  level: number;
  /** Added to the seed of the scenario: other sessions than those of the loads before. */
  seedOffset: number;
  /** The longest that the sessions of closed load take to start, one after another. */
  rampMs: Ms;
  maxTurns: number | null;
  maxSessions: number | null;
  maxCost: number | null;
  /** Whether the target has answered well before: a load that it cannot answer says nothing of whether it can be loaded. */
  hasWorked?: boolean;
  /** The longest that what is in flight may take to end, where the load is drained. */
  gracePeriodMs: Ms;
}

interface Workload {
  plan: Plan;
  script: Script;
}

/**
 * A scenario's sessions at one steady level. Messages, turns, think times, retries, checks, arrivals and the bound on
 * turns in flight stay. What says how much load there is, for how long, and how it is judged is left out: level, stages,
 * ramp, count, duration, warm-up, gates, and the bound on live sessions, behind which a queue would hide.
 */
export function levelLoad<Settled extends Workload>(settled: Settled, level: LevelLoad): Settled {
  const { plan, script } = settled;
  const seed = plan.seed + level.seedOffset;
  return {
    ...settled,
    plan: {
      ...plan,
      ...unbounded,
      seed,
      sessions: null,
      gracePeriodMs: level.gracePeriodMs,
      load: loadOf(plan.load, level),
      confidentGates: [],
      maxSessions: level.maxSessions,
      maxTurns: level.maxTurns,
      maxCost: level.maxCost,
      // A load that is too much for a service has no success for a while: that is what is looked for.
      stopWhen: {
        ...plan.stopWhen,
        noSuccessMs: null,
        unusable: level.hasWorked === true ? null : plan.stopWhen.unusable,
      },
    },
    script: { ...script, seed },
  };
}

function loadOf(load: Load, { by, level, rampMs }: LevelLoad): Load {
  const steady = { startMs: ms(0), endMs: null, from: level, to: level };
  const { maxTurnsInFlight } = load;
  if (by === 'concurrency') {
    const ramp = { startMs: ms(0), endMs: rampMs, from: 0, to: level };
    const segments = rampMs > 0 && level > 1 ? [ramp, { ...steady, startMs: rampMs }] : [steady];
    return { model: 'closed', segments, maxTurnsInFlight };
  }
  const arrivals = load.model === 'open' ? load.arrivals : ({ kind: 'constant' } as const);
  return { model: 'open', segments: [steady], arrivals, maxConcurrency: null, whenFull: 'wait', maxTurnsInFlight };
}

/** The longest ramp. */
const maxRampMs = 10_000;

/**
 * How long the sessions of closed load take to start: about one turn with its think time, so that they do not send in
 * step ever after, and do not all create their session at one instant.
 */
export function rampOf({ thinkTime }: Pick<Plan, 'thinkTime'>, replyMs: Ms): Ms {
  return ms(Math.min(maxRampMs, meanOf(thinkTime) + replyMs));
}

/** What identifies the sessions of a plan and how they are served with: its hash, but for how much load there is. */
export function workloadHash(plan: Plan): string {
  const { turns, thinkTime, data, variableValues, messages, tools, checks, integrity } = plan;
  const { abandon, instructions, retry, timeoutMs, stallTimeoutMs, onFailedTurn, load } = plan;
  const said = { turns, thinkTime, data, variableValues, messages, tools, checks, integrity };
  const served = { abandon, instructions, retry, timeoutMs, stallTimeoutMs, onFailedTurn };
  return digestOf({
    ...said,
    ...served,
    maxTurnsInFlight: load.maxTurnsInFlight,
    arrivals: load.model === 'open' ? load.arrivals : null,
  });
}

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
export function steadyLoad({ plan, script }: Workload, { concurrency, turns, sessions }: Steady): Workload {
  const distribution = turns === undefined ? undefined : ({ kind: 'constant', turns } as const);
  const level = { startMs: ms(0), endMs: null, from: concurrency, to: concurrency };
  const none = { kind: 'constant', ms: ms(0) } as const;
  return {
    plan: {
      ...plan,
      // The caller bounds such a load and judges its outcome.
      ...unbounded,
      sessions,
      turns: distribution ?? plan.turns,
      load: { model: 'closed', segments: [level], maxTurnsInFlight: null },
      thinkTime: none,
      onFailedTurn: 'continue',
      retry: plan.retry.slice(0, 1).map((policy) => ({ ...policy, maxAttempts: 1, budget: null })),
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
