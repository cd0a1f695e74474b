import { between, ms, type Ms, type Clock, type Instant } from './base/time.ts';
import type { Plan } from './plan/plan.ts';
import { dealtPlan, wholeRun, type Shard } from './plan/shard.ts';
import type { Script } from './plan/script.ts';
import { createRecorder, type Recorder, type RecorderOptions } from './record/recorder.ts';
import type { SpanFollower } from './record/span-follower.ts';
import { failedAbortGate } from './result/gates/gates.ts';
import { type Warning, unheardWarning, sharedIdWarning, throttleWarning } from './result/sections/warning.ts';
import { Quota } from './schedule/quota.ts';
import { every, watchRun } from './schedule/stop/watch-run.ts';
import {
  StopController,
  type FollowedSignals,
  type RunStop,
  type StopWithInstant,
} from './schedule/stop/stop-controller.ts';
import { Watchdog, type Droughts } from './schedule/stop/watchdog.ts';
import { Sleeper } from './schedule/sleeper.ts';
import { Throttle } from './schedule/throttle.ts';
import type { AttemptFollower } from './model-calls/attempt-follower.ts';
import { createSessionContext, type UnfitTarget } from './session/session-context.ts';
import { echoPatience } from './session/integrity/guard.ts';
import { unusableStop } from './session/judge-fitness.ts';
import type { ChatLoadError } from './base/errors.ts';
import type { Access } from './plan/resolve-auth.ts';
import type { ChatProtocol } from './protocol/protocol.ts';
import type { Snapshot } from './record/snapshot.ts';
import type { Send } from './session/send.ts';
import type { HeadSources } from './session/session-head.ts';

/** Collaborators of an active run; `plan` is the part of the shard. */
export type RunContext = ReturnType<typeof createRunContext>;

/** Creates the collaborators that live as long as a run. */
export function createRunContext(whole: Plan, script: Script, effects: RunEffects) {
  const { clock, journal, part, protocol, send, heads, access } = effects;
  const { shard = wholeRun, startedAt = clock.now() } = part ?? {};
  const plan = dealtPlan(whole, shard);
  effects.started?.(startedAt);
  const { warnings, warn } = keepWarnings(effects, journal);
  if (effects.spans?.problem !== undefined) warn(effects.spans.problem);
  const elapsed = (): Ms => between(startedAt, clock.now());
  const recorder = createRecorder({
    plan,
    startedAt,
    redact: (text) => effects.redact(text),
    ...waitsOf(effects.probe),
    onInterval: (piece) => journal?.add(piece),
  });
  const observer = effects.follower?.follow(recorder) ?? recorder;
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
    observer: effects.spans?.follow(observer, startedAt) ?? observer,
    script,
    protocol,
    send,
    heads,
    access,
    leaveUnfit: (found) => (part === undefined ? stopController.end(unusableStop(found)) : part.leaveUnfit(found)),
    shards: shard.count,
    onUnsupported: () => effects.warn?.(unheardWarning(plan, echoPatience)),
    onSharedId: () => warn(sharedIdWarning(elapsed())),
  });
  return { ...around, shard, startedAt, recorder, sessions, warnings, warn };
}

/** Collects the warnings of a run and passes each on at once. */
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

/** Follows everything that may end a run, and reports its progress; the returned function ends this. */
export function followRun(context: RunContext, effects: RunEffects): () => void {
  const { plan, clock, startedAt, recorder, stopController, watchdog } = context;
  const { part, journal, strayFailed, access, modelStop } = effects;
  stopController.stopSignal.when('cut', () => effects.abortExchanges());
  const unfollow = stopController.follow(effects);
  if (part !== undefined) notifyCoordinator(part, stopController);
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
  void modelStop?.then((stop) => stopController.end(stop));
  void access?.lost.then((why) => stopController.end({ kind: 'token_lost', why }));
  stops.push(effects.probe?.follow((sentAt, readAt) => recorder.probed(sentAt, readAt)) ?? (() => undefined));
  effects.watch?.({
    live: (now) => recorder.live(now),
    totals: () => recorder.totals(),
    droughts: () => watchdog.seen(startedAt),
  });
  return () => stops.forEach((stop) => stop());
}

/** Notifies the coordinator once if a shard stops by itself. */
function notifyCoordinator(part: Part, stopController: StopController): void {
  let isNotified = false;
  const notify = (): void => {
    if (stopController.reason === undefined || isNotified) return;
    isNotified = true;
    part.stopping(stopController.reason);
  };
  // A function per level: listeners are distinguished by their identity.
  for (const level of ['drain', 'halt', 'cut'] as const) stopController.stopSignal.when(level, () => notify());
}

const leftToCoordinator = { stopWhen: { noSuccessMs: null, targetGoneMs: null }, abortGates: {} };

export interface RunEffects extends FollowedSignals {
  protocol: ChatProtocol;
  send: Send;
  /** Aborts every exchange in flight; they end as `aborted`. */
  abortExchanges(): void;
  clock: Clock;
  /** Redacts secrets in stored texts. */
  redact(text: string): string;
  /** Sources of per-session header fields. */
  heads?: HeadSources | undefined;
  /** Called with each warning of the run, once. */
  warn?: (warning: Warning) => void;
  watch?: (underWay: UnderWay) => void;
  /** Measures how late this process reads what has arrived; `undefined`: not measured. */
  probe?: DelayProbe | undefined;
  /** A run whose journal fails is stopped, because hours of it could be lost. */
  journal?: Journal | undefined;
  /** Resolves when scenario code that no session awaits has failed; otherwise never. */
  strayFailed?: Promise<ChatLoadError> | undefined;
  /** Authorization that is renewed during the run. */
  access?: Access | undefined;
  /** Reports attempts to the model service; `undefined`: there is none. */
  follower?: AttemptFollower | undefined;
  /** Makes the spans of a traced run; `undefined`: none are exported. `problem`: the reason why they should be, but cannot. */
  spans?: (Pick<SpanFollower, 'follow'> & { problem?: Warning }) | undefined;
  /** Called with the start of the run. */
  started?: (startedAt: Instant) => void;
  /** Resolves when the model service ends the run; otherwise never. */
  modelStop?: Promise<ModelStop> | undefined;
  /** Set if the run is one shard of a larger one. */
  part?: Part | undefined;
}

const waitsOf = (probe: DelayProbe | undefined): Pick<RecorderOptions, 'waited'> =>
  probe === undefined ? {} : { waited: (at) => probe.waited(at) };

interface DelayProbe {
  /** Reports probes, each with the instants at which it was sent and read, until the returned function is called. */
  follow(probed: Recorder['probed']): () => void;
  /** Returns the longest time that what was read at an instant may have waited for the event loop. */
  waited(at: Instant): Ms;
}

export interface UnderWay extends Pick<Recorder, 'live' | 'totals'> {
  droughts: () => Droughts;
}

/** Reason of the model service to end a run: its process has ended, or the maximum cost is reached. */
export type ModelStop = Extract<RunStop, { kind: 'model_lost' | 'cap' }>;

/** Part of a run in a larger one, whose coordinator evaluates gates and the watchdog. */
export interface Part {
  shard: Shard;
  /** The instant from which all shards count. */
  startedAt: Instant;
  /** Called if the target has never worked in this shard. */
  leaveUnfit(found: UnfitTarget): void;
  /** Called at once with the first reason for the shard to stop by itself. */
  stopping(stop: StopWithInstant): void;
}

/** Receives every interval as soon as it is closed, so that little is lost if the process dies. */
export interface Journal {
  add(piece: Snapshot): void;
  /** Receives every warning that only the run itself can notice. */
  warn?(warning: Warning): void;
  /** Resolves with the reason when it cannot be written any more; otherwise never. */
  failed: Promise<ChatLoadError>;
}
