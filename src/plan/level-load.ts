import { ms, type Ms } from '../base/time.ts';
import { digestOf } from './digest.ts';
import type { Load, Plan } from './plan.ts';
import { meanOf } from './distributions.ts';
import type { Workload } from './script.ts';

/** Removes the length of a load and its gates if the caller decides on both. */
const unbounded = { durationMs: null, warmUpMs: ms(0), gates: {}, abortGates: {}, maxDurationMs: null };

/** A steady load for the time of a measurement. */
export interface LevelLoad {
  by: 'concurrency' | 'rate';
  /** Concurrent sessions, or sessions per second. */
  level: number;
  /** Offset added to the scenario's seed: the sessions differ from the sessions of earlier loads. */
  seedOffset: number;
  /** Maximum time over which the sessions of closed load start, one after another. */
  rampMs: Ms;
  maxTurns: number | null;
  maxSessions: number | null;
  maxCost: number | null;
  /** True if the target has answered successfully before. If it has not, failures of all requests are not evidence about its capacity. */
  hasWorked?: boolean;
  /** Maximum drain time of a load that is drained. */
  gracePeriodMs: Ms;
}

/**
 * Returns a scenario's sessions at one steady level. Messages, turns, think times, retries, checks, arrivals and the bound
 * on turns in flight stay. Options that set the load, its length and its judgement are replaced: level, stages, ramp,
 * count, duration, warm-up, gates, and the bound on live sessions, which would hide a queue.
 */
export function levelLoad<Given extends Workload>(resolved: Given, level: LevelLoad): Given {
  const { plan, script } = resolved;
  const seed = plan.seed + level.seedOffset;
  return {
    ...resolved,
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
      // A service under too much load has no success for a while: the measurement must observe that.
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
 * Returns the time over which the sessions of closed load start: about one turn with its think time, so that sessions
 * neither send simultaneously nor are all created at once.
 */
export function rampOf({ thinkTime }: Pick<Plan, 'thinkTime'>, replyMs: Ms): Ms {
  return ms(Math.min(maxRampMs, meanOf(thinkTime) + replyMs));
}

/** Returns a digest of a plan's sessions and their target: its hash without the amount of load. */
export function workloadHash(plan: Plan): string {
  const { load } = plan;
  return digestOf({
    ...Object.fromEntries(hashed.map((key) => [key, plan[key]])),
    maxTurnsInFlight: load.maxTurnsInFlight,
    arrivals: load.model === 'open' ? load.arrivals : null,
  });
}

const hashed = [
  ...(['turns', 'thinkTime', 'data', 'variableValues', 'messages', 'tools', 'checks', 'integrity'] as const),
  ...(['abandon', 'instructions', 'retry', 'timeoutMs', 'stallTimeoutMs', 'onFailedTurn'] as const),
];

interface Steady {
  /** Concurrent sessions. */
  concurrency: number;
  /** Turns of every session; `undefined`: the scenario's own number. */
  turns?: number;
  /** The number of sessions; `null`: until it is stopped. */
  sessions: number | null;
}

/**
 * Returns a scenario's sessions as steady closed load, to show the capacity of both sides: with messages and checks, but
 * without think times, retries and ramps; a failed turn does not end its session.
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
