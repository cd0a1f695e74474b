import { between, ms, type Clock, type Instant, type Ms } from './base/time.ts';
import type { Plan } from './plan/plan.ts';
import { dealtPlan, wholeRun, type Shard } from './plan/shard.ts';
import type { Script } from './plan/script.ts';
import { createRecorder, type Recorder } from './record/recorder.ts';
import { failedAbortGate } from './result/gates/gates.ts';
import { type Warning, unheardWarning, sharedIdWarning, throttleWarning } from './result/sections/warning.ts';
import type { Part, RunEffects } from './run-effects.ts';
import { Quota } from './schedule/quota.ts';
import { every, watchRun } from './schedule/stop/watch-run.ts';
import { StopController } from './schedule/stop/stop-controller.ts';
import { Watchdog } from './schedule/stop/watchdog.ts';
import { Sleeper } from './schedule/sleeper.ts';
import { Throttle } from './schedule/throttle.ts';
import { createSessionContext, type SessionContext } from './session/session-context.ts';
import { echoPatience } from './session/integrity/guard.ts';
import { unusableStop } from './session/judge-fitness.ts';

/** What a run consists of while it goes on. */
export interface RunContext {
  /** The plan as the shard plays it. */
  plan: Plan;
  shard: Shard;
  clock: Clock;
  startedAt: Instant;
  recorder: Recorder;
  stopController: StopController;
  sleeper: Sleeper;
  quota: Quota;
  watchdog: Watchdog;
  throttle: Throttle;
  sessions: SessionContext;
  /** What only the run itself could notice. */
  warnings: readonly Warning[];
}

/** Sets up what lives as long as a run. */
export function createRunContext(whole: Plan, script: Script, effects: RunEffects): RunContext {
  const { clock, journal, part, protocol, send, heads, access } = effects;
  const { shard = wholeRun, startedAt = clock.now() } = part ?? {};
  const plan = dealtPlan(whole, shard);
  const { warnings, warn } = keepWarnings(effects, journal);
  const elapsed = (): Ms => between(startedAt, clock.now());
  const recorder = createRecorder({
    plan,
    startedAt,
    redact: (text) => effects.redact(text),
    onInterval: (piece) => journal?.add(piece),
  });
  const stopController = new StopController(clock, plan.gracePeriodMs, startedAt);
  const sleeper = new Sleeper(clock, stopController.stopSignal);
  const quota = new Quota(plan, (spent) => stopController.end(spent), whole);
  const watchdog = new Watchdog(plan.stopWhen);
  const throttle = new Throttle({
    clock,
    sleeper,
    notify: (refused) => warn(throttleWarning(refused, elapsed())),
    shards: shard.count,
  });
  const around = { plan, clock, sleeper, stopController, quota, watchdog, throttle };
  const sessions = createSessionContext({
    ...around,
    observer: recorder,
    script,
    protocol,
    send,
    heads,
    access,
    leaveUnfit: (found) => (part === undefined ? stopController.end(unusableStop(found)) : part.leaveUnfit(found)),
    shards: shard.count,
    onUnheard: () => effects.warn?.(unheardWarning(plan, echoPatience)),
    onSharedId: () => warn(sharedIdWarning(elapsed())),
  });
  return { ...around, shard, startedAt, recorder, sessions, warnings };
}

/** Keeps the warnings of a run, and passes each on at once. */
export function keepWarnings(
  effects: Pick<RunEffects, 'warn'>,
  journal: RunEffects['journal'],
): { warnings: readonly Warning[]; warn: (warning: Warning) => void } {
  const warnings: Warning[] = [];
  return {
    warnings,
    warn: (warning) => {
      warnings.push(warning);
      journal?.warn?.(warning);
      effects.warn?.(warning);
    },
  };
}

/** Follows everything that may end a run, and shows how it goes; the returned function stops that. */
export function followRun(context: RunContext, effects: RunEffects): () => void {
  const { plan, clock, startedAt, recorder, stopController, watchdog } = context;
  const { part, journal, strayFailed, access } = effects;
  stopController.stopSignal.when('cut', () => effects.abortExchanges());
  const unfollow = stopController.follow(effects);
  if (part !== undefined) tellCoordinator(part, stopController);
  const stops = [
    unfollow,
    every(ms(1000), { clock, start: startedAt }, (now) => recorder.roll(now)),
    watchRun({
      plan: part === undefined ? plan : { ...plan, ...leftToCoordinator },
      clock,
      startedAt,
      stopController,
      watchdog,
      failedGate: (elapsedMs) => failedAbortGate(plan, recorder, elapsedMs),
    }),
  ];
  void journal?.failed.then((error) => stopController.end({ kind: 'journal', error }));
  void strayFailed?.then((error) => stopController.end({ kind: 'scenario_error', error }));
  void access?.lost.then((why) => stopController.end({ kind: 'token_lost', why }));
  effects.watch?.({
    live: (now) => recorder.live(now),
    totals: () => recorder.totals(),
    droughts: () => watchdog.seen(startedAt),
  });
  return () => stops.forEach((stop) => stop());
}

/** A shard tells its coordinator once when it stops by itself. */
function tellCoordinator(part: Part, stopController: StopController): void {
  let hasTold = false;
  const tell = (): void => {
    if (stopController.reason === undefined || hasTold) return;
    hasTold = true;
    part.stopping(stopController.reason);
  };
  for (const level of ['drain', 'halt', 'cut'] as const) stopController.stopSignal.when(level, () => tell());
}

const leftToCoordinator = { stopWhen: { noSuccessMs: null, targetGoneMs: null }, abortGates: {} };
