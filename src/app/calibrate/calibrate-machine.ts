import { formatRate } from '../../base/format.ts';
import { ms } from '../../base/time.ts';
import { systemClock } from '../../edge/clock.ts';
import { openSender, type Sender } from '../../edge/http/open-sender.ts';
import { startResponder, type Responder } from '../../edge/calibrate/start-responder.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { resolveScenario, type ResolvedScenario } from '../../plan/resolve-scenario.ts';
import {
  type CalibratedLoad,
  type SeriesErrors,
  readingErrors,
  trueTimes,
  type TakenTimes,
  type Calibration,
} from '../../result/sections/calibration.ts';
import { buildLevels } from '../../result/sections/rates.ts';
import { addCountersOf, addTallies } from '../../result/sections/figures.ts';
import { buildLatency } from '../../result/sections/latency.ts';
import type { RunOutcome } from '../../run.ts';
import { conductRun } from '../run/conduct-run.ts';
import { senderOptions } from '../run/open-generator.ts';
import { environmentError, type ChatLoadError } from '../../base/errors.ts';
import { keepCalibration } from '../../edge/disk/calibration-file.ts';
import { describeEnvironment } from '../../edge/health/describe-environment.ts';
import { notCarriedText } from '../../report/calibration-outline.ts';
import { calibrationKey } from '../run/publish-run.ts';
import { cpuMeter } from '../../edge/calibrate/cpu-meter.ts';

/** A load of the calibration: open, at a constant rate, with delayed replies. */
export interface HeldLoad {
  turnsPerSecond: number;
  holdMs: number;
  /** Number of turns; p99 requires at least 662. */
  turns: number;
}

export interface Calibrating {
  loads?: readonly HeldLoad[];
  /** Load that compiles the code, as the first seconds of a run do; its figures are discarded. */
  warmUp?: HeldLoad;
  /** Maximum error of the median effective time of a sustained load. */
  maxErrorMs?: number;
  /** Duration of the measurement of the maximum rate, and of the load before it that compiles the code. */
  sendingMs?: { warmUp: number; measured: number };
  stop: AbortSignal;
  notify: (text: string) => void;
}

interface Calibrated extends Pick<Calibration, 'sends'> {
  loads: CalibratedLoad[];
  /** First load that this generator could not sustain, after which no other was tried; `undefined` if it sustained all. */
  notCarried: HeldLoad | undefined;
}

/** Few and many turns in flight at each rate, about 20 s in all. Chat agents are slow, so many turns are in flight even at low rates. */
const defaultLoads: readonly HeldLoad[] = [
  { turnsPerSecond: 100, holdMs: 1000, turns: 670 },
  { turnsPerSecond: 500, holdMs: 5, turns: 700 },
  { turnsPerSecond: 500, holdMs: 250, turns: 700 },
  { turnsPerSecond: 1000, holdMs: 5, turns: 1000 },
  { turnsPerSecond: 1000, holdMs: 250, turns: 1000 },
  { turnsPerSecond: 2000, holdMs: 5, turns: 1600 },
  { turnsPerSecond: 2000, holdMs: 250, turns: 1600 },
  { turnsPerSecond: 4000, holdMs: 5, turns: 3000 },
];

/**
 * Measures the maximum rate of this generator, then runs open load, as `run` does, against a local responder that records
 * its own times, and compares the measurements with them. Resolves with `undefined` if it was stopped.
 */
export async function calibrateMachine({
  loads = defaultLoads,
  warmUp = { turnsPerSecond: 1000, holdMs: 5, turns: 1000 },
  // Runs whose median turn is later than this are degraded.
  maxErrorMs = 10,
  sendingMs = { warmUp: 1500, measured: 2500 },
  stop,
  notify,
}: Calibrating): Promise<Calibrated | undefined> {
  const responder = await startResponder();
  const conduct = (resolved: ResolvedScenario, sender: Sender): Promise<RunOutcome> =>
    conductRun(resolved, { sender, clock: systemClock, stops: { drain: stop, cut: stop } });
  // Shared by all held loads, to reuse connections.
  const sender = openSender(senderOptions(responder.baseUrl, resolveHeldLoad(warmUp, responder)));
  const play = async (load: HeldLoad): Promise<RunOutcome> => {
    await responder.hold(ms(load.holdMs));
    return conduct(resolveHeldLoad(load, responder), sender);
  };
  const playMaximum = async (durationMs: number): Promise<RunOutcome> => {
    const resolved = resolveMaximum(durationMs, responder);
    // The end of such a load cuts its sender.
    const own = openSender(senderOptions(responder.baseUrl, resolved));
    return conduct(resolved, own).finally(() => own.close());
  };
  try {
    notify('maximum rate');
    await playMaximum(sendingMs.warmUp);
    const sends = await meterSends(() => playMaximum(sendingMs.measured));
    if (sends === undefined) {
      if (stop.aborted) return undefined;
      throw tooBusy('no turn ended at the maximum rate.');
    }
    const calibrated: Calibrated = { sends, loads: [], notCarried: undefined };
    notify('warming up');
    await play(warmUp);
    for (const load of loads) {
      if (stop.aborted) return undefined;
      notify(`${formatRate(load.turnsPerSecond, 'turn')}, replies after ${String(load.holdMs)} ms`);
      const measured = compare(load, await play(load), await responder.account());
      if (measured === undefined || measured.effective.p50Ms > maxErrorMs) {
        calibrated.notCarried = load;
        break;
      }
      calibrated.loads.push(measured);
    }
    return stop.aborted ? undefined : calibrated;
  } finally {
    await sender.close();
    await responder.close();
  }
}

/** Measures the processor time of a turn at the maximum rate. Resolves with `undefined` if no turn was ok. */
async function meterSends(conduct: () => Promise<RunOutcome>): Promise<Calibration['sends'] | undefined> {
  const meter = cpuMeter();
  const { snapshot, stop } = await conduct();
  const { us } = meter();
  if (stop?.kind === 'bug') throw stop.error;
  const turns = addCountersOf(snapshot.totals).turns.ok;
  return turns === 0 ? undefined : { turnsPerSecond: (1e6 * turns) / us, cpuUsPerTurn: us / turns };
}

const turnsPerSession = 2;

/** Compares a run of a load with the responder's account; returns `undefined` if some turn has no reply. */
function compare(
  { turnsPerSecond, turns }: HeldLoad,
  { snapshot, stop }: RunOutcome,
  sessions: readonly TakenTimes[],
): CalibratedLoad | undefined {
  if (stop?.kind === 'bug') throw stop.error;
  const { tally, counters } = addTallies(snapshot.totals);
  const truth = trueTimes(sessions);
  if (counters.turns.ok !== turns || truth.attempt.length !== turns) return undefined;
  const { attempt, effective } = buildLatency(tally);
  const errors: SeriesErrors = {
    attempt: readingErrors(attempt, truth.attempt),
    effective: readingErrors(effective, truth.effective),
  };
  return { attemptsPerSecond: turnsPerSecond, turnsInFlight: buildLevels(snapshot.levels).turns.max, turns, ...errors };
}

/** Returns the load as a scenario, which stops if it takes far too long. */
function resolveHeldLoad({ turnsPerSecond, holdMs, turns }: HeldLoad, responder: Responder): ResolvedScenario {
  const lengthMs = (turns * 1000) / turnsPerSecond + turnsPerSession * holdMs;
  return resolveLoad(responder, {
    sessions: turns / turnsPerSession,
    turns: turnsPerSession,
    load: { sessionsPerSecond: turnsPerSecond / turnsPerSession },
    maxDuration: Math.ceil(2 * lengthMs + 2000),
  });
}

/** Returns closed load without think times as a scenario: only the generator limits its rate. */
const resolveMaximum = (duration: number, responder: Responder): ResolvedScenario =>
  resolveLoad(responder, { turns: 20, duration, load: { concurrency: 32 } });

function resolveLoad({ baseUrl }: Responder, load: Partial<Scenario>): ResolvedScenario {
  return resolveScenario(
    {
      name: 'calibration',
      target: { baseUrl: baseUrl.href, agentId: 'calibration', apiKey: 'calibration-key' },
      messages: ['Where is order ORD-{{session.number}}? It should have arrived days ago.'],
      retry: 'none',
      // The responder always sends the same text, which would break every check of the guard.
      integrity: false,
      gracePeriod: 0,
      ...load,
    },
    { flags: {}, environment: {} },
    'the calibration',
  );
}

/** Builds and stores the document of a calibration. Throws `environment` if no load was sustained, or if it cannot be stored. */
export async function publishCalibration({
  sends,
  loads,
  notCarried,
}: Calibrated): Promise<{ calibration: Calibration; path: string }> {
  if (loads.length === 0) throw tooBusy(notCarried === undefined ? '' : notCarriedText(notCarried));
  const calibration: Calibration = {
    kind: 'chat-load/calibration',
    schemaVersion: 1,
    ...calibrationKey(await describeEnvironment()),
    calibratedAt: new Date().toISOString(),
    sends,
    loads,
    notCarried:
      notCarried === undefined ? null : { turnsPerSecond: notCarried.turnsPerSecond, holdMs: notCarried.holdMs },
  };
  return { calibration, path: await keepCalibration(calibration) };
}

const tooBusy = (cause: string): ChatLoadError =>
  environmentError(`This machine is too busy for a calibration: ${cause}`, 'Close other programs and try again.');
