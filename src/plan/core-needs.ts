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
      .describe(
        'Processes that the load wants, each with a core of its own (count); null: its pace is unknown beforehand',
      ),
    by: z.enum(['turnsPerSecond', 'turnsInFlight']).describe('What asks for that many; of one process, its rate'),
    processTurnsPerSecond: z
      .number()
      .describe('What one process sends with its whole core (turns per second); three quarters are counted on'),
    processTurnsInFlight: z.number().describe('What one process keeps in flight (count)'),
    measured: z
      .boolean()
      .describe('Whether that rate was measured where this was written; else that of a usual machine'),
  })
  .describe('Processes, each with a core of its own, that the load of a scenario wants');
/** How many processes a scenario wants: a run of one that is too few says so, but only once it has been made. */
export type CoreNeeds = z.infer<typeof coreNeedsSchema>;

/** Of the machines of bench/results.md. */
const usual = { turnsPerSecond: 50_000, turnsInFlight: 10_000 };

/** Near its ceiling a generator is late: the rest is room for what a forecast does not know. */
const carried = 0.75;

/** By a forecast. `measuredPerSecond`: what one process was seen to send here, with a whole core. */
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

/** What the machines of a fleet are asked for. */
export interface FleetSize {
  /** Sessions live at the peak, on the worker with the most. */
  sessionsLive: number;
  /** Connections of that worker at the peak, if replies take as long as the forecast assumed. */
  connections: number;
  /** The most that they can be; `null` where nothing bounds them. */
  maxConnections: number | null;
  workerMiB: number;
  coordinatorMiB: number;
  /** How long the load is taken to last, and by what. */
  lengthSeconds: number;
  lengthFrom: 'scenario' | 'forecast' | 'nothing';
  /** How long what is under way when the load ends may take. */
  graceSeconds: number;
}

/** A worker's parent process and its child, before any session; and each live session, thinking or in flight. */
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

/** Sizes a fleet of so many shards. Sessions are dealt one by one, so shares differ by one at most. */
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

/** How long sessions may be started: as the scenario says, else as forecast, with slack. */
function lengthOf(plan: Plan, { durationMs }: Forecast): Pick<FleetSize, 'lengthSeconds' | 'lengthFrom'> {
  const bound = Math.min(plan.durationMs ?? Infinity, plan.maxDurationMs ?? Infinity);
  if (bound !== Infinity) return { lengthSeconds: Math.ceil(bound / 1000), lengthFrom: 'scenario' };
  if (durationMs === null) return { lengthSeconds: daySeconds, lengthFrom: 'nothing' };
  return { lengthSeconds: Math.round((durationMs * forecastSlack) / 1000), lengthFrom: 'forecast' };
}
