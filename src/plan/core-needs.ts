import { z } from 'zod';
import type { Forecast } from './forecast.ts';
import type { ConnectionNeeds } from './socket-room.ts';
import type { Plan } from './plan.ts';

export const coreNeedsSchema = z
  .object({
    cores: z
      .int()
      .min(1)
      .nullable()
      .describe('Processes needed for the load, one core each (count); null if its rate is unknown in advance'),
    by: z
      .enum(['turnsPerSecond', 'turnsInFlight'])
      .describe('Figure that determines their number; for one process, its rate'),
    processTurnsPerSecond: z
      .number()
      .describe('Turns per second that one process can send with a whole core; plans use three quarters of it'),
    processTurnsInFlight: z.number().describe('Turns that one process can keep in flight (count)'),
    measured: z
      .boolean()
      .describe('True if the rate was measured on this machine; otherwise a typical machine is assumed'),
  })
  .describe("Processes needed for a scenario's load, one core each");
/** Returns the number of processes that a scenario needs: a run with too few only reports that afterwards. */
export type CoreNeeds = z.infer<typeof coreNeedsSchema>;

/** Measured on the machines of bench/results.md. */
const usual = { turnsPerSecond: 50_000, turnsInFlight: 10_000 };

/** Planned share of a generator's ceiling: near it, the generator is late. The rest covers errors of the forecast. */
const carried = 0.75;

/** Needs by a forecast. `measuredPerSecond`: measured throughput of one process on a whole core of this machine. */
export function coreNeedsOf(
  { peakTurnsPerSecond, peakTurnsInFlight }: Pick<Forecast, 'peakTurnsPerSecond' | 'peakTurnsInFlight'>,
  measuredPerSecond?: number,
): CoreNeeds {
  const processTurnsPerSecond = measuredPerSecond ?? usual.turnsPerSecond;
  const byRate = peakTurnsPerSecond === null ? 0 : peakTurnsPerSecond / (processTurnsPerSecond * carried);
  const byFlight = peakTurnsInFlight / usual.turnsInFlight;
  return {
    cores: peakTurnsPerSecond === null && byFlight <= 1 ? null : Math.max(1, Math.ceil(Math.max(byRate, byFlight))),
    by: byFlight > Math.max(1, byRate) ? 'turnsInFlight' : 'turnsPerSecond',
    processTurnsPerSecond,
    processTurnsInFlight: usual.turnsInFlight,
    measured: measuredPerSecond !== undefined,
  };
}

/** Requirements on the machines of a fleet. */
export interface FleetSize {
  /** Sessions live at the peak, on the most loaded worker. */
  sessionsLive: number;
  /** Connections of that worker at the peak, if replies take as long as the forecast assumed. */
  connections: number;
  /** Maximum number of them; `null` if nothing limits them. */
  maxConnections: number | null;
  workerMiB: number;
  coordinatorMiB: number;
  /** Assumed duration of the load, and its source. */
  lengthSeconds: number;
  lengthFrom: 'scenario' | 'forecast' | 'nothing';
  /** Maximum time for unfinished sessions after the load ends. */
  graceSeconds: number;
}

/** Memory of a worker's two processes before any session, and of each live session. */
const workerBaseMiB = 256;
const sessionKiB = 10;
/** The coordinator, and the latest snapshots of each shard. */
const coordinatorBaseMiB = 256;
const shardKiB = 256;

/** A forecast that assumes a reply time may be wrong by this factor before a deadline cuts the run. */
const forecastSlack = 4;
const daySeconds = 24 * 3600;

interface Foreseen {
  forecast: Forecast;
  needs: ConnectionNeeds;
  shards: number;
}

/** Sizes a fleet. Sessions are assigned round-robin, so the shares of shards differ by at most one. */
export function sizeFleet(plan: Plan, { forecast, needs, shards }: Foreseen): FleetSize {
  const share = (whole: number): number => Math.ceil(whole / shards);
  const sessionsLive = share(forecast.peakLiveSessions);
  return {
    sessionsLive,
    connections: share(needs.expected),
    maxConnections: needs.max === null ? null : share(needs.max),
    workerMiB: workerBaseMiB + Math.ceil((sessionsLive * sessionKiB) / 1024),
    coordinatorMiB: coordinatorBaseMiB + Math.ceil((shards * shardKiB) / 1024),
    ...lengthOf(plan, forecast),
    graceSeconds: Math.ceil(plan.gracePeriodMs / 1000),
  };
}

/** Returns the time during which sessions may start: from the scenario, else from the forecast, with slack. */
function lengthOf(plan: Plan, { durationMs }: Forecast): Pick<FleetSize, 'lengthSeconds' | 'lengthFrom'> {
  const bound = Math.min(plan.durationMs ?? Infinity, plan.maxDurationMs ?? Infinity);
  if (bound !== Infinity) return { lengthSeconds: Math.ceil(bound / 1000), lengthFrom: 'scenario' };
  if (durationMs === null) return { lengthSeconds: daySeconds, lengthFrom: 'nothing' };
  return { lengthSeconds: Math.round((durationMs * forecastSlack) / 1000), lengthFrom: 'forecast' };
}
