import { between, type Instant, type Ms } from './base/time.ts';
import type { Plan } from './plan/plan.ts';
import type { Script } from './plan/script.ts';
import type { Snapshot } from './record/snapshot.ts';
import type { Warning } from './result/sections/warning.ts';
import { createRunContext, followRun, type RunContext, type RunEffects } from './run-context.ts';
import { runSchedule } from './schedule/run-schedule.ts';
import type { StopWithInstant } from './schedule/stop/stop-controller.ts';
import { concludeFitness } from './session/judge-fitness.ts';
import { playSession } from './session/play-session.ts';

export interface RunOutcome {
  snapshot: Snapshot;
  elapsedMs: Ms;
  /** `undefined` for a run that completed. */
  stop: StopWithInstant | undefined;
  warnings: readonly Warning[];
}

/**
 * Conducts a run: starts the sessions of the plan when they are due, runs each through its turns, and records the
 * outcomes. Resolves when the last session has ended; there is a snapshot after any failure.
 *
 *     schedule -- due --> session -- turn --> protocol, sender
 *                            '-- attempts, turns --> recorder --> snapshot
 *
 * docs/concepts/architecture.md lists the files that one turn passes.
 */
export async function run(plan: Plan, script: Script, effects: RunEffects): Promise<RunOutcome> {
  const context = createRunContext(plan, script, effects);
  const release = followRun(context, effects);
  await startSessions(context, script);
  release();
  return conclude(context, script);
}

/** Starts every session when it is due. Resolves when no more will start and all that did have ended. */
async function startSessions(context: RunContext, script: Script): Promise<void> {
  const { plan, shard, clock, startedAt, recorder, stopController, sleeper, quota, throttle, sessions } = context;
  await runSchedule({
    plan,
    shard,
    clock,
    stopSignal: stopController.stopSignal,
    sleeper,
    throttle,
    observer: recorder,
    startedAt,
    trace: script.replay?.source,
    takeSession: () => quota.takeSession(),
    play: (number: number, due: Instant) =>
      playSession(sessions, number, due).catch((error: unknown) => {
        stopController.end({ kind: 'bug', error });
        return clock.now();
      }),
    endOfDuration: () => stopController.drain(),
  });
}

/** Applies the checks that require the end of the run, and takes its final snapshot. */
function conclude(
  { clock, startedAt, recorder, stopController, sessions, warnings }: RunContext,
  script: Script,
): RunOutcome {
  concludeFitness(sessions);
  const endedAt = clock.now();
  const changed = script.conversations?.source.changed();
  if (changed !== undefined) stopController.end({ kind: 'scenario_error', error: changed });
  stopController.close();
  const snapshot = recorder.snapshot(endedAt);
  return { snapshot, elapsedMs: between(startedAt, endedAt), stop: stopController.reason, warnings };
}
