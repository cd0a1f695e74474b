import type { ChatLoadError } from './base/errors.ts';
import type { Clock, Ms } from './base/time.ts';
import { ReadyWait } from './fleet/await-ready.ts';
import { Coordinator, leadOf, lookEveryMs } from './fleet/coordinator.ts';
import { countLost } from './fleet/count-lost.ts';
import type { FromShard } from './fleet/messages.ts';
import { ShardState } from './fleet/shard-state.ts';
import type { Shards } from './fleet/shards.ts';
import type { Plan } from './plan/plan.ts';
import { storeCounters } from './record/counters.ts';
import { shortestIntervalMs } from './record/interval-width.ts';
import type { Recorder } from './record/recorder.ts';
import type { Snapshot } from './record/snapshot.ts';
import { failedAbortGate } from './result/gates/abort-gates.ts';
import type { GeneratorAccount } from './result/journal/journal.ts';
import type { GeneratorSample } from './result/sections/generator-interval.ts';
import type { Warning } from './result/sections/warning.ts';
import type { Worker } from './result/sections/worker.ts';
import type { Journal, RunOutcome } from './run.ts';
import { every } from './schedule/stop/every.ts';
import { StopController } from './schedule/stop/stop-controller.ts';
import { watchRun } from './schedule/stop/watch-run.ts';

/** What the coordinator of a run needs from the banks. */
export interface CoordinatorEffects {
  shards: Shards;
  clock: Clock;
  drain: AbortSignal;
  cut: AbortSignal;
  /** How long shards may take until they are ready. */
  readyWithinMs: Ms;
  note(text: string): void;
  warn(warning: Warning): void;
  /** All shards are ready: called with what is known of them, before they start. Opens the journal. */
  ready(workers: readonly Worker[], accountNow: () => GeneratorAccount): Promise<Journal>;
  /** Is given the run to look at while it goes on. */
  watch(underWay: Pick<Recorder, 'live' | 'totals'>): void;
  strayFailed?: Promise<ChatLoadError> | undefined;
}

export interface CoordinatedOutcome extends RunOutcome {
  workers: readonly Worker[];
  account: GeneratorAccount;
  samples: readonly GeneratorSample[];
}

/**
 * Conducts a run that others play: waits until every shard is ready, lets all begin at one instant, merges what they
 * publish, and stops them together. Resolves when each has ended or is lost; rejects, before anything was sent, when one
 * does not become ready.
 */
export async function coordinate(plan: Plan, effects: CoordinatorEffects): Promise<CoordinatedOutcome> {
  const { shards, clock } = effects;
  const states = Array.from({ length: shards.count }, (_, index) => new ShardState(index, clock.now()));
  let hear: Pick<Coordinator, 'heard' | 'lose'> | undefined;
  const wait = new ReadyWait(states, { clock, within: effects.readyWithinMs });
  shards.listen({
    heard: (shard, message) => withState(states, shard, (state) => heardBy(state, message)),
    gone: (shard, reason) =>
      withState(states, shard, (state) => (hear === undefined ? wait.gone(state, reason) : hear.lose(state, reason))),
  });
  const heardBy = (state: ShardState, message: FromShard): void => {
    if (message.kind === 'ready') {
      state.machine = message.worker;
      state.phase = 'ready';
    }
    if (hear === undefined) wait.heard(state, message);
    else hear.heard(state, message);
  };
  await wait.all(effects.drain);

  for (const state of states) state.clockUncertaintyMs = shards.clockUncertaintyMs(state.index);
  let coordinator: Coordinator | undefined;
  const machines = states.flatMap((state) => state.publish([]));
  const journal = await effects.ready(machines, () => coordinator?.accountNow() ?? nothingYet);
  const { at, instant: startedAt } = shards.appoint(leadOf(shards.count));
  for (const state of states) state.heardAt = startedAt;
  const stopController = new StopController(clock, plan.gracePeriodMs, startedAt);
  const { stopSignal } = stopController;
  const warnings: Warning[] = [];
  coordinator = new Coordinator({
    plan,
    clock,
    states,
    startedAt,
    stopController,
    warn: (warning) => {
      warnings.push(warning);
      effects.warn(warning);
    },
    note: (text) => effects.note(text),
    abandon: (shard) => shards.abandon(shard),
    interruptedSince: () => shards.interruptedSince(),
    onInterval: (piece) => journal.add(piece),
  });
  hear = coordinator;
  const { recorder } = coordinator;
  shards.tell({ kind: 'start', at });
  for (const level of ['drain', 'halt', 'cut'] as const)
    stopSignal.when(level, () => shards.tell({ kind: 'stop', level }));
  const unfollow = stopController.follow(effects.drain, effects.cut);
  const stopLooking = every(lookEveryMs, { clock, start: startedAt }, (now) => coordinator.look(now));
  const failedGate = (elapsedMs: Ms): string | undefined => failedAbortGate(plan, recorder, elapsedMs);
  const stopWatching = watchRun({
    // The longest duration is each shard's own: all count from one instant.
    plan: { ...plan, maxDurationMs: null },
    clock,
    startedAt,
    stopController,
    watchdog: coordinator,
    failedGate,
  });
  void journal.failed.then((error) => stopController.end({ kind: 'journal', error }));
  void effects.strayFailed?.then((error) => stopController.end({ kind: 'scenario_error', error }));
  effects.watch({ live: (now) => coordinator.live(now), totals: () => recorder.totals() });

  await coordinator.allOver();
  unfollow();
  stopLooking();
  stopWatching();
  stopController.close();
  for (const state of states.filter(({ phase }) => phase === 'lost')) addLost(plan, coordinator, state, shards.count);
  const elapsedMs = Math.max(...states.map((state) => state.elapsedMs)) as Ms;
  const snapshot = recorder.snapshot(elapsedMs);
  const account = coordinator.accountNow(Infinity);
  const { samples } = coordinator;
  const stop = stopController.reason ?? (coordinator.cap as RunOutcome['stop']);
  return { snapshot, elapsedMs, stop, warnings, workers: coordinator.workers(), account, samples };
}

const nothingYet: GeneratorAccount = { generator: null, samples: [], traffic: null };

function withState(states: readonly ShardState[], shard: number, act: (state: ShardState) => void): void {
  const state = states[shard];
  if (state !== undefined) act(state);
}

/** Closes the books of a shard that was lost, in the interval in which it was last heard of. */
function addLost(plan: Plan, { recorder }: Coordinator, { index, deliveredMs }: ShardState, count: number): void {
  const worker = String(index);
  const totals = recorder.countedBy(worker).map((sum) => ({
    ...sum,
    counters: storeCounters(sum.counters),
    series: {},
  }));
  const startMs = Math.max(0, deliveredMs - shortestIntervalMs);
  const published: Snapshot = {
    kind: 'chat-load/snapshot',
    schemaVersion: 1,
    workers: [worker],
    elapsedMs: deliveredMs,
    warmUpMs: plan.warmUpMs,
    intervalMs: shortestIntervalMs,
    totals,
    intervals: totals.map((tally) => ({ startMs, ...tally })),
    levels: [],
    examples: [],
    violations: [],
  };
  recorder.add(worker, countLost(plan, { shard: { index, count }, worker, published }));
}
