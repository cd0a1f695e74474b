import { formatRate } from '../../base/format.ts';
import { ms } from '../../base/time.ts';
import { systemClock } from '../../edge/clock.ts';
import { openSender } from '../../edge/http/open-sender.ts';
import { startResponder, type Responder } from '../../edge/probe/start-responder.ts';
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
import { addTallies } from '../../result/sections/figures.ts';
import { buildLatency } from '../../result/sections/latency.ts';
import type { RunOutcome } from '../../run.ts';
import { conductRun } from '../run/conduct-run.ts';
import { senderOptions } from '../run/open-generator.ts';
import { environmentError } from '../../base/errors.ts';
import { keepCalibration } from '../../edge/disk/calibration-file.ts';
import { describeEnvironment } from '../../edge/health/describe-environment.ts';
import { notCarriedText } from '../../report/calibration-outline.ts';
import { calibrationKey } from '../run/publish-run.ts';

/** A load of the calibration: open, at a constant rate, with delayed replies. */
export interface HeldLoad {
  turnsPerSecond: number;
  holdMs: number;
  /** Number of turns; p99 requires at least 662. */
  turns: number;
}

interface Calibrating {
  loads?: readonly HeldLoad[];
  /** Load that compiles the code, as the first seconds of a run do; its figures are discarded. */
  warmUp?: HeldLoad;
  /** Maximum error of the median effective time of a sustained load. */
  maxErrorMs?: number;
  stop: AbortSignal;
  notify: (text: string) => void;
}

interface Calibrated {
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
 * Runs open load, as `run` does, against a local responder that records its own times, and compares the measurements with
 * them. Resolves with `undefined` if it was stopped.
 */
export async function performCalibration({
  loads = defaultLoads,
  warmUp = { turnsPerSecond: 1000, holdMs: 5, turns: 1000 },
  // Runs whose median turn is later than this are degraded.
  maxErrorMs = 10,
  stop,
  notify,
}: Calibrating): Promise<Calibrated | undefined> {
  const responder = await startResponder();
  // Shared by all loads, to reuse connections.
  const sender = openSender(senderOptions(responder.baseUrl, resolveHeldLoad(warmUp, responder)));
  const play = async (load: HeldLoad): Promise<RunOutcome> => {
    await responder.hold(ms(load.holdMs));
    const stops = { drain: stop, cut: stop };
    return conductRun(resolveHeldLoad(load, responder), { sender, clock: systemClock, stops });
  };
  const calibrated: Calibrated = { loads: [], notCarried: undefined };
  try {
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
function resolveHeldLoad({ turnsPerSecond, holdMs, turns }: HeldLoad, { baseUrl }: Responder): ResolvedScenario {
  const lengthMs = (turns * 1000) / turnsPerSecond + turnsPerSession * holdMs;
  return resolveScenario(
    {
      name: 'calibration',
      target: { baseUrl: baseUrl.href, agentId: 'calibration', apiKey: 'calibration-key' },
      sessions: turns / turnsPerSession,
      turns: turnsPerSession,
      load: { sessionsPerSecond: turnsPerSecond / turnsPerSession },
      messages: ['Where is order ORD-{{session.number}}? It should have arrived days ago.'],
      retry: 'none',
      // The responder always sends the same text, which would break every check of the guard.
      integrity: false,
      maxDuration: Math.ceil(2 * lengthMs + 2000),
      gracePeriod: 0,
    },
    { flags: {}, environment: {} },
    'the calibration',
  );
}

/** Builds and stores the document of a calibration. Throws `environment` if no load was sustained, or if it cannot be stored. */
export async function publishCalibration({
  loads,
  notCarried,
}: Calibrated): Promise<{ calibration: Calibration; path: string }> {
  if (loads.length === 0)
    throw environmentError(
      `This machine is too busy for a calibration: ${notCarried === undefined ? '' : notCarriedText(notCarried)}`,
      'Close other programs and try again.',
    );
  const calibration: Calibration = {
    kind: 'chat-load/calibration',
    schemaVersion: 1,
    ...calibrationKey(await describeEnvironment()),
    calibratedAt: new Date().toISOString(),
    loads,
    notCarried:
      notCarried === undefined ? null : { turnsPerSecond: notCarried.turnsPerSecond, holdMs: notCarried.holdMs },
  };
  return { calibration, path: await keepCalibration(calibration) };
}
