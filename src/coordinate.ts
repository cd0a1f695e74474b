import type { ChatLoadError } from './base/errors.ts';
import type { Clock, Instant, Ms } from './base/time.ts';
import { Coordinator, leadOf, lookEveryMs } from './fleet/coordinator.ts';
import { ShardInbox } from './fleet/shard-inbox.ts';
import { ShardState } from './fleet/shard-state.ts';
import type { Shards } from './fleet/shards.ts';
import type { AttemptFact } from './model-calls/attempt-facts.ts';
import type { Plan } from './plan/plan.ts';
import type { Recorder } from './record/recorder.ts';
import type { Snapshot } from './record/snapshot.ts';
import { type Warning, policiesWarnings } from './result/sections/warning.ts';
import { failedAbortGate } from './result/gates/gates.ts';
import type { GeneratorAccount, LostEntry, MissingShard } from './result/journal/journal.ts';
import type { GeneratorSample } from './result/sections/generator-health.ts';
import type { Worker } from './result/sections/environment.ts';
import type { RunOutcome } from './run.ts';
import { keepWarnings, type Journal, type ModelStop } from './run-context.ts';
import { every, watchRun } from './schedule/stop/watch-run.ts';
import { StopController, type FollowedSignals } from './schedule/stop/stop-controller.ts';

/** The journal of a run of several shards. */
export interface FleetJournal extends Journal {
  /** `missing`: shards whose part is absent. */
  add(piece: Snapshot, missing?: readonly MissingShard[]): void;
  /** Receives an interval of the model calls behind the agent. */
  addModel?(piece: Snapshot): void;
  /** A shard was given up. */
  lost(worker: LostEntry['worker']): void;
}

export interface CoordinatorEffects extends FollowedSignals {
  shards: Shards;
  clock: Clock;
  readyWithinMs: Ms;
  note(text: string): void;
  warn(warning: Warning): void;
  /** Called with the descriptions of all shards before they start; opens the journal. */
  ready(workers: readonly Worker[], accountNow: () => GeneratorAccount): Promise<FleetJournal>;
  watch(underWay: Pick<Recorder, 'live' | 'totals'>): void;
  strayFailed?: Promise<ChatLoadError> | undefined;
  /** Called with the start of the run. */
  started?: (startedAt: Instant) => void;
  /** Receives the facts about attempts, for the model service. */
  onAttempts?: ((facts: readonly AttemptFact[]) => void) | undefined;
  /** Called when a shard has delivered its intervals up to a time, in milliseconds since the start; `Infinity`: all of them. */
  onDelivered?: ((shard: number, untilMs: number) => void) | undefined;
  /** Resolves when the model service ends the run; otherwise never. */
  modelStop?: Promise<ModelStop> | undefined;
}

export interface CoordinatedOutcome extends RunOutcome {
  workers: readonly Worker[];
  account: GeneratorAccount;
  samples: readonly GeneratorSample[];
}

/**
 * Conducts a run that shards execute: waits until every shard is ready, starts all at one instant, merges their snapshots,
 * and stops them together. Resolves when each has ended or is lost; rejects, before anything was sent, if one does not
 * become ready.
 */
export async function coordinate(plan: Plan, effects: CoordinatorEffects): Promise<CoordinatedOutcome> {
  const { shards, clock } = effects;
  const states = Array.from({ length: shards.count }, (_, index) => new ShardState(index, clock.now()));
  const { drain, halt = drain, readyWithinMs: within } = effects;
  const line = new ShardInbox(states, { clock, within, note: (text) => effects.note(text) });
  shards.listen(line);
  await line.allReady(AbortSignal.any([drain, halt]));
  for (const state of states) state.clockUncertaintyMs = shards.clockUncertaintyMs(state.index);
  return follow(plan, { states, line }, effects);
}

/** Follows shards that are ready, from their start to their end. */
async function follow(
  plan: Plan,
  { states, line }: { states: readonly ShardState[]; line: ShardInbox },
  effects: CoordinatorEffects,
): Promise<CoordinatedOutcome> {
  const { shards, clock } = effects;
  const followed: { coordinator?: Coordinator } = {};
  const machines = states.flatMap((state) => state.publish([]));
  const journal = await effects.ready(machines, () => followed.coordinator?.accountNow() ?? nothingYet);
  const { at, instant: startedAt } = shards.appoint(leadOf(shards.count));
  const stopController = new StopController(clock, plan.gracePeriodMs, startedAt);
  const { warnings, warn } = keepWarnings(effects, journal);
  const coordinator = new Coordinator({
    plan,
    clock,
    states,
    startedAt,
    stopController,
    warn,
    note: (text) => effects.note(text),
    abandon: (shard) => shards.abandon(shard),
    interruptedSince: () => shards.interruptedSince(),
    onInterval: (piece) => journal.add(piece, followed.coordinator?.missing()),
    onAttempts: effects.onAttempts,
    onDelivered: effects.onDelivered,
    onLost: (worker) => journal.lost(worker),
  });
  followed.coordinator = coordinator;
  policiesWarnings(plan, shards.count).forEach(warn);
  effects.started?.(startedAt);
  line.follow(coordinator, startedAt);
  shards.send({ kind: 'start', at });
  const release = watch(plan, { coordinator, stopController, startedAt }, effects);
  void journal.failed.then((error) => stopController.end({ kind: 'journal', error }));

  await coordinator.allOver();
  release();
  const elapsedMs = Math.max(...states.map((state) => state.elapsedMs)) as Ms;
  const snapshot = coordinator.recorder.snapshot(elapsedMs);
  const account = coordinator.accountNow(Infinity);
  const stop = stopController.reason ?? coordinator.cap;
  return { snapshot, elapsedMs, stop, warnings, workers: coordinator.workers(), account, samples: coordinator.samples };
}

/** Observes the whole run and forwards stop requests to the shards; the returned function ends this. */
function watch(
  plan: Plan,
  {
    coordinator,
    stopController,
    startedAt,
  }: { coordinator: Coordinator; stopController: StopController; startedAt: Instant },
  effects: CoordinatorEffects,
): () => void {
  const { clock, shards } = effects;
  for (const level of ['drain', 'halt', 'cut'] as const)
    stopController.stopSignal.when(level, () => shards.send({ kind: 'stop', level }));
  void effects.modelStop?.then((stop) => stopController.end(stop));
  void effects.strayFailed?.then((error) => stopController.end({ kind: 'scenario_error', error }));
  const stops = [
    stopController.follow(effects),
    every(lookEveryMs, { clock, start: startedAt }, (now) => coordinator.look(now)),
    watchRun({
      // Each shard ends at the maximum duration by itself, because all count from one instant.
      plan: { ...plan, maxDurationMs: null },
      clock,
      startedAt,
      stopController,
      watchdog: coordinator,
      failedGate: (elapsedMs) => failedAbortGate(plan, coordinator.recorder, elapsedMs),
    }),
    () => stopController.close(),
  ];
  effects.watch({ live: (now) => coordinator.live(now), totals: () => coordinator.recorder.totals() });
  return () => stops.forEach((stop) => stop());
}

const nothingYet: GeneratorAccount = { generator: null, samples: [], traffic: null, transport: null };
