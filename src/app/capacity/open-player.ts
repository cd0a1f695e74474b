import { ChatLoadError, messageOf } from '../../base/errors.ts';
import { later, ms, type Ms } from '../../base/time.ts';
import type { Beat } from '../../capacity/beat.ts';
import type { Objective } from '../../capacity/objectives/objective.ts';
import type { PlayedStep, StepOrder, StepPlayer, StepWatch } from '../../capacity/player.ts';
import { systemClock } from '../../edge/clock.ts';
import { probeConnection } from '../../edge/http/probe-connection.ts';
import { startEmbedded } from '../../edge/target/embedded.ts';
import { levelLoad, rampOf } from '../../plan/level-load.ts';
import type { Settled } from '../../plan/settle.ts';
import { total } from '../../record/counters.ts';
import { addCountersOf } from '../../result/sections/figures.ts';
import type { StopWithInstant } from '../../schedule/stop/stop-controller.ts';
import { assumedReply } from '../run/check-sockets.ts';
import { openAccess } from '../run/open-access.ts';
import { senderOptions } from '../run/sender-options.ts';
import type { Fleet, Stops } from '../run/ports.ts';
import { reachTarget } from '../run/reach-target.ts';
import { primeGenerator } from '../run/prime-generator.ts';
import { generatorLimit } from './generator-limit.ts';
import { figuresOf, noFigures, partIn, valuesOf } from './judged-part.ts';
import { onAbort, playHere, type PlayedLoad } from './play-here.ts';
import { coresOf, playOnCores } from './play-on-cores.ts';
import { requireBalance } from './require-balance.ts';

/** What the steps of a search are played with. */
export interface PlayerSettings {
  objectives: readonly Objective[];
  /** The most that all replies together may cost; `null`: no bound. */
  maxCost: number | null;
  stops: Pick<Stops, 'drain' | 'cut'>;
  strayFailed?: Promise<ChatLoadError> | undefined;
  /** Plays the steps; none: this process does. */
  fleet?: Fleet | undefined;
  note: (text: string) => void;
  /** Is called with every beat of a step, when it has been judged. */
  seen?: ((order: StepOrder, beat: Beat) => void) | undefined;
}

/** A target that steps can be played against. */
export interface CapacityPlayer extends StepPlayer {
  /** What ended the search, where it was neither its answer nor its bounds. */
  readonly stop: StopWithInstant | undefined;
  /** Ends the embedded service, where that is the target. */
  close(): Promise<void>;
}

/**
 * Opens a target for the steps of a search: one embedded service for all of them, where it is the target. Nothing is
 * kept from one step to the next but that. Throws `environment` when the target cannot be reached; nothing was sent then.
 */
export async function openPlayer(settled: Settled, settings: PlayerSettings): Promise<CapacityPlayer> {
  const cores = settings.fleet?.serviceCores ?? 1;
  const embedded = settled.embedded && (await startEmbedded(settled.embedded, { cores }));
  try {
    const baseUrl = new URL(embedded?.baseUrl ?? settled.plan.target.baseUrl ?? '');
    const { reached } = await reachTarget(settled, senderOptions(baseUrl, settled));
    // One token for all steps, as one user would have.
    const opened = await openAccess(reached);
    await primeGenerator();
    const close = async (): Promise<void> => {
      opened.access?.close();
      await embedded?.close();
    };
    return new RealPlayer(opened, settings, { baseUrl, close });
  } catch (thrown) {
    await embedded?.close();
    throw thrown;
  }
}

class RealPlayer implements CapacityPlayer {
  stop: StopWithInstant | undefined;
  readonly close: () => Promise<void>;
  readonly #settled: Settled;
  readonly #settings: PlayerSettings;
  readonly #baseUrl: URL;
  readonly #rampMs: Ms;
  readonly #openedAt = systemClock.now();
  #cost = 0;
  /** Whether any turn was ok. */
  #hasWorked = false;

  constructor(settled: Settled, settings: PlayerSettings, target: { baseUrl: URL; close: () => Promise<void> }) {
    this.#settled = settled;
    this.#settings = settings;
    this.#baseUrl = target.baseUrl;
    this.#rampMs = rampOf(settled.plan, assumedReply(settled));
    this.close = target.close;
  }

  elapsedMs(): number {
    return systemClock.now() - this.#openedAt;
  }

  rest(forMs: number): Promise<void> {
    return new Promise((resolve) => {
      let unfollow = (): void => undefined;
      const cancel = systemClock.wakeAt(later(systemClock.now(), ms(forMs)), () => {
        unfollow();
        resolve();
      });
      unfollow = onAbort(this.#settings.stops.drain, () => {
        cancel();
        resolve();
      });
    });
  }

  async play(order: StepOrder, watch: StepWatch): Promise<PlayedStep> {
    const settled = this.#atLevel(order);
    const { fleet, note, seen } = this.#settings;
    const play = {
      ...this.#settings,
      settled,
      order,
      watch,
      seen: (beat: Beat): void => seen?.(order, beat),
    };
    const cores = coresOf(fleet, play);
    const played = await (fleet === undefined || cores === 1
      ? playHere(play, senderOptions(this.#baseUrl, settled))
      : playOnCores(play, { fleet, baseUrl: this.#baseUrl, note }).catch((thrown: unknown) =>
          this.#neverStarted(order, thrown),
        ));
    if ('sent' in played) return played;
    const described = this.#describe(settled, { played, cores, settledMs: watch.settledMs });
    const { attempts, createAttempts } = addCountersOf(played.outcome.snapshot.totals);
    if (described.stop === null && attempts.connect_failed + createAttempts.connect_failed > 0)
      return { ...described, stop: await this.#goneNow(settled) };
    return described;
  }

  /** A step whose processes did not start ends the search; only the first one loses nothing. */
  #neverStarted({ number }: StepOrder, thrown: unknown): PlayedStep {
    if (number === 1 || !(thrown instanceof ChatLoadError)) throw thrown;
    const why = `step ${String(number)} did not start: ${thrown.message}`;
    this.stop ??= { kind: 'fleet_lost', why, atMs: ms(this.elapsedMs()) };
    const nothing = { elapsedMs: 0, sent: 0, sessions: 0, cost: 0, figures: noFigures, generatorLimit: null };
    return { ...nothing, stop: { kind: 'fleet_lost', why } };
  }

  /** Without load no service refuses a connection but one that is gone. */
  async #goneNow(settled: Settled): Promise<PlayedStep['stop']> {
    try {
      await probeConnection(senderOptions(this.#baseUrl, settled));
      return null;
    } catch (thrown) {
      const why = `behind the step ${messageOf(thrown)}`;
      this.stop ??= { kind: 'target_gone', why, atMs: ms(this.elapsedMs()) };
      return { kind: 'target_gone', why };
    }
  }

  #atLevel({ number, load, by, mostTurns, maxSessions }: StepOrder): Settled {
    const { maxCost } = this.#settings;
    return levelLoad(this.#settled, {
      by,
      level: load,
      seedOffset: number,
      rampMs: this.#rampMs,
      maxTurns: mostTurns,
      maxSessions,
      // A cap of nothing is no cap.
      maxCost: maxCost === null ? null : Math.max(1e-6, maxCost - this.#cost),
      gracePeriodMs: this.#settled.plan.gracePeriodMs,
      hasWorked: this.#hasWorked,
    });
  }

  #describe(settled: Settled, { played, cores, settledMs }: Described): PlayedStep {
    const { outcome, judgedMs, health, samples, workers } = played;
    const { plan } = settled;
    const whole = outcome.snapshot;
    requireBalance(plan, whole);
    const counters = addCountersOf(whole.totals);
    const sent = counters.turnFlow.sent + total(counters.retries);
    const sessions = counters.sessions.started;
    const lost = (workers ?? []).filter((worker) => worker.lost !== null).length / cores;
    const unseenOf = (cap: number | null, seen: number): number =>
      cap === null ? 0 : Math.min(Math.ceil(lost * cap), Math.max(0, cap - seen));
    const stretch = { fromMs: Math.min(settledMs, judgedMs), toMs: judgedMs };
    const judged = partIn(whole, stretch);
    const cost = counters.spending.costMillionths / 1e6;
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
      generatorLimit: generatorLimit({ plan, whole, judged, stretch, health, samples, cores, workers, objectives }),
      stop: this.#stopOf(outcome.stop),
    };
  }

  /** What ends the search too: not the bounds of a step, nor a service that is merely too busy to answer well. */
  #stopOf(stop: StopWithInstant | undefined): PlayedStep['stop'] {
    if (this.#settings.stops.drain.aborted) return { kind: 'signal', why: 'a signal stopped it' };
    if (stop === undefined || stop.kind === 'cap' || stop.kind === 'signal' || stop.kind === 'max_duration')
      return null;
    this.stop ??= stop;
    return { kind: stop.kind, why: 'why' in stop ? stop.why : String(stop.error) };
  }
}

interface Described {
  played: PlayedLoad;
  cores: number;
  settledMs: number;
}
