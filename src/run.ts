import type { ChatLoadError } from './base/errors.ts';
import { between, ms, type Clock, type Instant, type Ms } from './base/time.ts';
import type { Access } from './plan/access.ts';
import type { Plan } from './plan/plan.ts';
import { dealtPlan, wholeRun, type Shard } from './plan/shard.ts';
import type { Script } from './plan/script.ts';
import { createRecorder, type Recorder } from './record/recorder.ts';
import type { Snapshot } from './record/snapshot.ts';
import { failedAbortGate } from './result/gates/abort-gates.ts';
import { unheardWarning } from './result/warnings/integrity-warning.ts';
import { sharedIdWarning } from './result/warnings/shared-id-warning.ts';
import { throttleWarning } from './result/warnings/throttle-warning.ts';
import type { Warning } from './result/sections/warning.ts';
import { Quota } from './schedule/quota.ts';
import type { Droughts } from './schedule/stop/droughts.ts';
import { StopController, type StopWithInstant } from './schedule/stop/stop-controller.ts';
import { every } from './schedule/stop/every.ts';
import { runSchedule } from './schedule/run-schedule.ts';
import { Sleeper } from './schedule/sleeper.ts';
import { Throttle } from './schedule/throttle.ts';
import { watchRun } from './schedule/stop/watch-run.ts';
import { Watchdog } from './schedule/stop/watchdog.ts';
import { echoPatience } from './session/integrity/echo.ts';
import { createSessionContext } from './session/create-session-context.ts';
import { concludeFitness, unusableStop } from './session/judge-fitness.ts';
import { playSession } from './session/play-session.ts';
import type { ChatProtocol } from './protocol/protocol.ts';
import type { HeadSources } from './session/session-head.ts';
import type { Send } from './session/send.ts';
import type { UnfitTarget } from './session/session-context.ts';

/** What a run needs from the banks. */
export interface RunEffects {
  /** How the target is spoken to. */
  protocol: ChatProtocol;
  send: Send;
  /** Aborts every exchange in flight; they end as `aborted`. */
  abortExchanges(): void;
  clock: Clock;
  /** The first signal: no new session; what is under way may finish within the grace period. */
  drain: AbortSignal;
  /** The second: everything under way is cut. */
  cut: AbortSignal;
  /** Redacts secrets in texts that are kept. */
  redact(text: string): string;
  /** What requests have in their heads beside what all have. */
  heads?: HeadSources | undefined;
  /** Called once with what should be known during the run. */
  warn?: (warning: Warning) => void;
  /** Is given the recorder to look at while the run goes on. */
  watch?: (underWay: UnderWay) => void;
  /** A run whose journal fails is stopped: hours of it could be lost. */
  journal?: Journal | undefined;
  /** Resolves when code of the scenario that no session awaits has failed; else never. */
  strayFailed?: Promise<ChatLoadError> | undefined;
  /** What authorizes requests, where it is renewed. */
  access?: Access | undefined;
  /** Aborted: nothing more is sent, and what is in flight ends by itself. Such an end is no reason of its own. */
  halt?: AbortSignal | undefined;
  /** What makes the run one shard of a larger one. */
  part?: Part | undefined;
}

/** A run under way. */
export interface UnderWay extends Pick<Recorder, 'live' | 'totals'> {
  droughts: () => Droughts;
}

/** The place of a run in a larger one. Gates and the watchdog are the coordinator's, which sees the whole. */
export interface Part {
  shard: Shard;
  /** The instant from which all shards count. */
  startedAt: Instant;
  /** The target never worked, as far as this shard has seen. */
  leaveUnfit(found: UnfitTarget): void;
  /** The shard is to stop by itself, because of what it has seen: called at once, with the first reason. */
  stopping(stop: StopWithInstant): void;
  /** Aborted by the coordinator: nothing more is sent, what is in flight ends by itself. */
  halt: AbortSignal;
}

/** Receives every interval as soon as it is closed, so that little is lost when the run dies. */
export interface Journal {
  add(piece: Snapshot): void;
  /** Receives every warning that only the run itself can notice. */
  warn?(warning: Warning): void;
  /** Resolves when it can take no more, with the reason; else never. */
  failed: Promise<ChatLoadError>;
}

export interface RunOutcome {
  snapshot: Snapshot;
  elapsedMs: Ms;
  /** `undefined` for a run that completed. */
  stop: StopWithInstant | undefined;
  /** What only the run itself could notice. */
  warnings: readonly Warning[];
}

/**
 * Conducts a run: starts the sessions of the plan when they are due, plays them, and adds up what happens. Resolves
 * when the last of them has ended; on any failure there is a snapshot.
 */
export async function run(whole: Plan, script: Script, effects: RunEffects): Promise<RunOutcome> {
  const { clock, protocol, send, journal, part, access } = effects;
  const { shard = wholeRun, startedAt = clock.now() } = part ?? {};
  const plan = dealtPlan(whole, shard);
  const onInterval = (piece: Snapshot): void => journal?.add(piece);
  const recorder = createRecorder({ plan, startedAt, redact: (text) => effects.redact(text), onInterval });
  const stopController = new StopController(clock, plan.gracePeriodMs, startedAt);
  const { stopSignal } = stopController;
  const sleeper = new Sleeper(clock, stopSignal);
  const quota = new Quota(plan, (spent) => stopController.end(spent), whole);
  const watchdog = new Watchdog(plan.stopWhen);
  const onUnheard = (): void => effects.warn?.(unheardWarning(plan, echoPatience));
  const warnings: Warning[] = [];
  const warn = (warning: Warning): void => {
    warnings.push(warning);
    journal?.warn?.(warning);
    effects.warn?.(warning);
  };
  const onSharedId = (): void => warn(sharedIdWarning(between(startedAt, clock.now())));
  const throttle = new Throttle({
    clock,
    sleeper,
    notify: (refused) => warn(throttleWarning(refused, between(startedAt, clock.now()))),
    shards: shard.count,
  });
  const around = {
    clock,
    sleeper,
    observer: recorder,
    stopController,
    quota,
    watchdog,
    throttle,
    onUnheard,
    onSharedId,
  };
  const leaveUnfit = (found: UnfitTarget): void => {
    if (part === undefined) stopController.end(unusableStop(found));
    else part.leaveUnfit(found);
  };
  const stage = createSessionContext({
    ...around,
    plan,
    script,
    protocol,
    send,
    heads: effects.heads,
    access,
    leaveUnfit,
    shards: shard.count,
  });

  stopSignal.when('cut', () => effects.abortExchanges());
  const unfollow = stopController.follow(effects.drain, effects.cut);
  if (effects.halt !== undefined) followHalt(effects.halt, stopController);
  if (part !== undefined) followCoordinator(part, stopController);
  const stopRolling = every(ms(1000), { clock, start: startedAt }, (now) => recorder.roll(now));
  const failedGate = (elapsedMs: Ms): string | undefined => failedAbortGate(plan, recorder, elapsedMs);
  const judged = part === undefined ? plan : { ...plan, ...leftToCoordinator };
  const stopWatching = watchRun({ plan: judged, clock, startedAt, stopController, watchdog, failedGate });
  void journal?.failed.then((error) => stopController.end({ kind: 'journal', error }));
  void effects.strayFailed?.then((error) => stopController.end({ kind: 'scenario_error', error }));
  void access?.lost.then((why) => stopController.end({ kind: 'token_lost', why }));
  effects.watch?.({
    live: (now) => recorder.live(now),
    totals: () => recorder.totals(),
    droughts: () => watchdog.seen(startedAt),
  });

  const play = (number: number, due: Instant): Promise<Instant> =>
    playSession(stage, number, due).catch((error: unknown) => {
      stopController.end({ kind: 'bug', error });
      return clock.now();
    });
  const endOfDuration = (): void => stopController.drain();
  const takeSession = (): boolean => quota.takeSession();
  const surroundings = { plan, shard, clock, stopSignal, sleeper, throttle, observer: recorder, startedAt };
  await runSchedule({ ...surroundings, trace: script.replay?.source, takeSession, play, endOfDuration });

  unfollow();
  stopRolling();
  stopWatching();
  concludeFitness(stage);
  const endedAt = clock.now();
  const changed = script.conversations?.source.changed();
  if (changed !== undefined) stopController.end({ kind: 'scenario_error', error: changed });
  stopController.close();
  const snapshot = recorder.snapshot(endedAt);
  return { snapshot, elapsedMs: between(startedAt, endedAt), stop: stopController.reason, warnings };
}

function followHalt(asked: AbortSignal, { stopSignal }: StopController): void {
  const halt = (): void => stopSignal.apply('halt');
  if (asked.aborted) halt();
  else asked.addEventListener('abort', halt, { once: true });
}

/** A shard stops when the coordinator says so, and tells it when it stops by itself. */
function followCoordinator(part: Part, stopController: StopController): void {
  const { stopSignal } = stopController;
  followHalt(part.halt, stopController);
  let hasTold = false;
  const tell = (): void => {
    if (stopController.reason === undefined || hasTold) return;
    hasTold = true;
    part.stopping(stopController.reason);
  };
  for (const level of ['drain', 'halt', 'cut'] as const) stopSignal.when(level, () => tell());
}

const leftToCoordinator = { stopWhen: { noSuccessMs: null, targetGoneMs: null }, abortGates: {} };
