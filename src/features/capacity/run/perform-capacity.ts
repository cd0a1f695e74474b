import { setTimeout as wait } from 'node:timers/promises';
import { ChatLoadError, messageOf } from '../../../base/errors.ts';
import type { Beat, StepOrder, PlayedStep, StepPlayer, StepWatch } from '../judge/player.ts';
import { buildCapacity } from '../publish/build-capacity.ts';
import type { Capacity } from '../document/capacity.ts';
import type { Step } from '../document/step.ts';
import { searchCapacity } from '../search/search-capacity.ts';
import { machineClassOf } from '../../../compare/document/group-of.ts';
import { describeEnvironment } from '../../../edge/health/describe-environment.ts';
import { toolVersion } from '../../../edge/tool-version.ts';
import type { ResolvedScenario } from '../../../plan/resolve-scenario.ts';
import type { StopWithInstant } from '../../../schedule/stop/stop-controller.ts';
import { checkHost, assumedReply } from '../../../app/run/check-resolved.ts';
import type { ResolvedSearch } from './resolve-search.ts';
import { ms, type Ms } from '../../../base/time.ts';
import type { Objective } from '../judge/objective.ts';
import { systemClock } from '../../../edge/clock.ts';
import { probeConnection } from '../../../edge/http/probe-connection.ts';
import { levelLoad, rampOf } from '../../../plan/level-load.ts';
import type { Plan } from '../../../plan/plan.ts';
import { nanosPerUnit } from '../../../plan/prices.ts';
import { maxShardsOf } from '../../../plan/shard.ts';
import { total } from '../../../record/counters.ts';
import type { Snapshot } from '../../../record/snapshot.ts';
import { assembleBooks } from '../../../result/assembly/assemble-sections.ts';
import { assertBooks } from '../../../result/books/assert-books.ts';
import { addCountersOf } from '../../../result/sections/figures.ts';
import { senderOptions } from '../../../app/run/open-generator.ts';
import { withService } from '../../../app/run/with-service.ts';
import { withTarget, type OpenTarget } from '../../../app/run/with-target.ts';
import { generatorLimit, figuresOf, noFigures, partIn, valuesOf } from './generator-limit.ts';
import { playStep, type SteppedLoad, type StepPorts } from './play-step.ts';

interface CapacityPorts extends StepPorts {
  /** Called about four times per second during a step. */
  onBeat?: ((order: StepOrder, beat: Beat) => void) | undefined;
  onStep?: (step: Step) => void;
}

export interface PerformedCapacity {
  document: Capacity;
  /** Reason for an early end of the search; `undefined` after an answer, a limit or a signal. */
  stop: StopWithInstant | undefined;
}

/**
 * Searches for the capacity of a scenario's target. Rejects if nothing could be sent, and for bugs. Does not reject for an
 * error of the scenario, even in the first step: like that of a run, it is part of the document.
 */
export async function performCapacity(
  resolved: ResolvedScenario,
  { settings }: ResolvedSearch,
  { label, ...ports }: CapacityPorts & { label: string | null },
): Promise<PerformedCapacity> {
  checkHost(resolved);
  const startedAt = new Date().toISOString();
  const environment = await describeEnvironment();
  const { objectives, maxCost } = settings;
  const { search, stop } = await withPlayer(resolved, { ...ports, objectives, maxCost }, async (player) => ({
    search: await searchCapacity(settings, player, ports.onStep),
    stop: player.stop,
  }));
  // Counts are unreliable after a bug.
  if (stop?.kind === 'bug') throw stop.error;
  const machine = `${machineClassOf(environment)}${ports.fleet === undefined ? '' : `, ${String(ports.fleet.count)} shards`}`;
  const around = { plan: resolved.plan, settings, toolVersion, label, machine, startedAt, warnings: [] };
  return { document: resolved.secrets.redactDocument(buildCapacity(search, around)), stop };
}

interface PlayerSettings extends Omit<CapacityPorts, 'onStep'> {
  objectives: readonly Objective[];
  /** Maximum cost of all replies; `null`: unlimited. */
  maxCost: number | null;
}

/** Performs a search with a runner of its steps, which share one embedded service, if it is the target, and one token. */
export function withPlayer<Made>(
  resolved: ResolvedScenario,
  settings: PlayerSettings,
  search: (player: CapacityPlayer) => Promise<Made>,
): Promise<Made> {
  const { note, stops } = settings;
  const needs = { note, stop: stops.drain };
  return withService(resolved, needs, (baseUrl, model) =>
    withTarget(resolved, { baseUrl, model }, (target) => search(new CapacityPlayer(target, settings))),
  );
}

/** Runs the steps of a search against an open target; steps share no connections. */
export class CapacityPlayer implements StepPlayer {
  stop: StopWithInstant | undefined;
  readonly #target: OpenTarget;
  readonly #settings: PlayerSettings;
  readonly #rampMs: Ms;
  readonly #openedAt = systemClock.now();
  #cost = 0;
  /** True if any turn succeeded. */
  #hasWorked = false;

  constructor(target: OpenTarget, settings: PlayerSettings) {
    this.#target = target;
    this.#settings = settings;
    this.#rampMs = rampOf(target.resolved.plan, assumedReply(target.resolved));
  }

  elapsedMs(): number {
    return systemClock.now() - this.#openedAt;
  }

  rest(forMs: number): Promise<void> {
    return wait(forMs, undefined, { signal: this.#settings.stops.drain }).catch(() => undefined);
  }

  async play(order: StepOrder, watch: StepWatch): Promise<PlayedStep> {
    const target = { ...this.#target, resolved: this.#atLevel(order) };
    const { onBeat, ...settings } = this.#settings;
    const cores = Math.min(settings.fleet?.count ?? 1, maxShardsOf(target.resolved.plan));
    const fleet = settings.fleet && cores > 1 ? { ...settings.fleet, count: cores } : undefined;
    const playing = playStep(target, { ...settings, fleet, order, watch, observe: (beat) => onBeat?.(order, beat) });
    const played = await (fleet ? playing.catch((thrown: unknown) => this.#neverStarted(order, thrown)) : playing);
    if ('sent' in played) return played;
    const described = this.#describe(target.resolved, { played, cores, settledMs: watch.settledMs });
    const { attempts, createAttempts } = addCountersOf(played.outcome.snapshot.totals);
    if (described.stop === null && attempts.connect_failed + createAttempts.connect_failed > 0)
      return { ...described, stop: await this.#goneNow(target.resolved) };
    return described;
  }

  /** Ends the search if the processes of a step did not start; rethrows for the first step, which has no earlier findings. */
  #neverStarted({ number }: StepOrder, thrown: unknown): PlayedStep {
    if (number === 1 || !(thrown instanceof ChatLoadError)) throw thrown;
    const nothing = { elapsedMs: 0, sent: 0, sessions: 0, cost: 0, figures: noFigures, generatorLimit: null };
    return { ...nothing, stop: this.#end('fleet_lost', `step ${String(number)} did not start: ${thrown.message}`) };
  }

  #end(kind: 'fleet_lost' | 'target_gone', why: string): PlayedStep['stop'] {
    this.stop ??= { kind, why, atMs: ms(this.elapsedMs()) };
    return { kind, why };
  }

  /** Checks whether the target is gone: without load, no other service refuses a connection. */
  async #goneNow(resolved: ResolvedScenario): Promise<PlayedStep['stop']> {
    try {
      await probeConnection(senderOptions(this.#target.baseUrl, resolved));
      return null;
    } catch (thrown) {
      return this.#end('target_gone', `after the step ${messageOf(thrown)}`);
    }
  }

  #atLevel({ number, load, by, maxTurns, maxSessions }: StepOrder): ResolvedScenario {
    const { maxCost } = this.#settings;
    const { resolved } = this.#target;
    return levelLoad(resolved, {
      by,
      level: load,
      seedOffset: number,
      rampMs: this.#rampMs,
      maxTurns,
      maxSessions,
      // A cap of 0 would mean no cap.
      maxCost: maxCost === null ? null : Math.max(1 / nanosPerUnit, maxCost - this.#cost),
      gracePeriodMs: resolved.plan.gracePeriodMs,
      hasWorked: this.#hasWorked,
    });
  }

  #describe(
    resolved: ResolvedScenario,
    { played, cores, settledMs }: { played: SteppedLoad; cores: number; settledMs: number },
  ): PlayedStep {
    const { outcome, judgedMs, account, samples, workers } = played;
    const health = account.generator;
    const { plan } = resolved;
    const whole = outcome.snapshot;
    requireBalance(plan, whole);
    const counters = addCountersOf(whole.totals);
    const sent = counters.turnFlow.sent + total(counters.retries);
    const sessions = counters.sessions.started;
    const lost = (workers ?? []).filter((worker) => worker.lost !== null).length / cores;
    const unseenOf = (cap: number | null, seen: number): number =>
      cap === null ? 0 : Math.min(Math.ceil(lost * cap), Math.max(0, cap - seen));
    const window = { fromMs: Math.min(settledMs, judgedMs), toMs: judgedMs };
    const judged = partIn(whole, window);
    const cost = counters.spending.costNanos / nanosPerUnit;
    this.#cost += cost;
    this.#hasWorked ||= counters.turns.ok > 0;
    const { objectives } = this.#settings;
    return {
      elapsedMs: outcome.elapsedMs,
      sent,
      sessions,
      unseen: { turns: unseenOf(plan.maxTurns, sent), sessions: unseenOf(plan.maxSessions, sessions) },
      cost,
      figures: figuresOf(plan, judged),
      values: valuesOf(plan, judged, objectives),
      generatorLimit: generatorLimit({ plan, whole, judged, window, health, samples, cores, workers, objectives }),
      stop: this.#stopOf(outcome.stop),
    };
  }

  /** Returns the reason if the end of a step ends the search too; the bounds of a step and an overloaded service do not. */
  #stopOf(stop: StopWithInstant | undefined): PlayedStep['stop'] {
    if (this.#settings.stops.drain.aborted) return { kind: 'signal', why: 'a signal stopped it' };
    if (stop === undefined || stop.kind === 'cap' || stop.kind === 'signal' || stop.kind === 'max_duration')
      return null;
    this.stop ??= stop;
    return { kind: stop.kind, why: 'why' in stop ? stop.why : String(stop.error) };
  }
}

/** Throws if the consistency checks of a step fail, which is a bug. */
function requireBalance(plan: Plan, snapshot: Snapshot): void {
  const { balanced, broken } = assembleBooks(plan, snapshot, {
    equations: assertBooks(plan, snapshot),
    hasEnded: true,
  });
  if (balanced === false)
    throw new Error(
      `the consistency checks of a step failed: ${broken.map((each) => JSON.stringify(each)).join('; ')}`,
    );
}
