import { isIP } from 'node:net';
import { z } from 'zod';
import type { Plan, Segment } from './plan.ts';
import { meanOf, meanTurns } from './distributions.ts';
import type { Forecast } from './forecast.ts';

const connectionNeedsSchema = z.object({
  certain: z.number().describe('Minimum for the configured load, however fast the replies are'),
  expected: z.number().describe("At the peak, with the forecast's reply time"),
  max: z.number().nullable().describe('Maximum, however slow the replies are; null if the load does not limit it'),
});
/** Number of concurrent connections of a run: one per exchange (creation or turn), or over WebSocket one per live session. */
export type ConnectionNeeds = z.infer<typeof connectionNeedsSchema>;

/**
 * Computes the connections of a run. A session has one exchange in progress at a time, so live sessions bound them.
 * `maxTurnsInFlight` does not: it limits only turns, and sessions that start together are created together.
 */
export function connectionNeeds(plan: Plan, forecast: Forecast): ConnectionNeeds {
  const sessions = plan.sessions ?? Infinity;
  const max = maxLive(plan);
  const expected = Math.ceil(expectedConnections(plan, forecast));
  const streams = streamsOf(plan);
  const live = Math.ceil(forecast.peakLiveSessions);
  return {
    certain: Math.min(sessions, certainConnections(plan)) + streams(highestOrOne(plan)),
    expected: Math.max(1, Math.min(expected, max, sessions)) + streams(Math.min(live, max)),
    max: max === Infinity ? null : Math.min(max, sessions) + streams(max),
  };
}

const maxLive = (plan: Plan): number =>
  plan.load.model === 'open' ? (plan.load.maxConcurrency ?? Infinity) : highestLevel(plan);

/** Returns the number of sessions that start together; without think times, of all live sessions. */
function certainConnections(plan: Plan): number {
  const { load } = plan;
  if (load.model === 'open') return 1;
  if (isOverSockets(plan)) return highestLevel(plan);
  const busy = thinkMs(plan) > 0 ? 0 : Math.min(highestLevel(plan), load.maxTurnsInFlight ?? Infinity);
  return Math.max(largestJump(plan), busy);
}

/** Counts the live sessions that are not thinking at the peak; their pace there is not their mean pace if replies queue. */
function expectedConnections(plan: Plan, { peakTurnsPerSecond, peakLiveSessions }: Forecast): number {
  if (isOverSockets(plan)) return peakLiveSessions;
  const turns = meanTurns(plan.turns);
  const thinking = ((peakTurnsPerSecond ?? 0) / turns) * (thinkMs(plan) / 1000);
  const busy = Math.max(0, peakLiveSessions - thinking);
  const creations = busy / (turns + 1);
  return Math.min(busy, creations + (plan.load.maxTurnsInFlight ?? Infinity));
}

/** Reports whether a session keeps its connection between turns. */
const isOverSockets = ({ target }: Pick<Plan, 'target'>): boolean => target.transport === 'websocket';

/** Returns the number of streams that live sessions keep open next to their exchanges. */
const streamsOf =
  ({ target, sessions }: Plan) =>
  (live: number): number =>
    target.listens !== undefined && !target.stream ? Math.min(live, sessions ?? Infinity) : 0;

const highestOrOne = (plan: Plan): number => (plan.load.model === 'open' ? 1 : highestLevel(plan));

/** Returns the mean total think time of a session. */
const thinkMs = ({ turns, thinkTime }: Plan): number => Math.max(0, meanTurns(turns) - 1) * meanOf(thinkTime);

/** Returns the maximum number of open slots before the duration is over. */
const highestLevel = (plan: Plan): number =>
  reached(plan).reduce((highest, { from, to }) => Math.max(highest, Math.ceil(from), Math.ceil(to)), 0);

/** Returns the maximum number of slots that open at one instant. */
const largestJump = (plan: Plan): number =>
  reached(plan).reduce(
    ({ largest, level }, { from, to }) => ({
      largest: Math.max(largest, Math.ceil(from) - Math.ceil(level)),
      level: to,
    }),
    { largest: 1, level: 0 },
  ).largest;

/** Returns the segments of the load, cut off at the end of the duration. */
const reached = ({ load, durationMs }: Plan): Segment[] =>
  load.segments
    .filter(({ startMs }) => startMs < (durationMs ?? Infinity))
    .map((segment) => {
      const { startMs, endMs, from, to } = segment;
      if (durationMs === null || endMs === null || endMs <= durationMs) return segment;
      return { ...segment, endMs: durationMs, to: from + ((to - from) * (durationMs - startMs)) / (endMs - startMs) };
    });

const socketLimitsSchema = z.object({
  descriptors: z
    .object({ limit: z.number(), hard: z.number().nullable(), open: z.number().nullable() })
    .nullable()
    .describe('Current limit, maximum without privileges, and number in use'),
  localPorts: z
    .object({ first: z.int(), last: z.int(), reserved: z.int(), setting: z.string() })
    .nullable()
    .describe('Range of local ports, both ends included, and number of reserved ones in it'),
});
/** Limits of the system for this process; `null` if unknown. */
export type SocketLimits = z.infer<typeof socketLimitsSchema>;

const shortageSchema = z.object({
  resource: z.enum(['descriptors', 'ports']),
  need: z.enum(['certain', 'expected', 'max']).describe('Most certain need that exceeds the limit'),
  connections: z.number(),
  room: z.number(),
  stops: z.boolean().describe('True if the run does not start'),
});
/** A limit of the system that is too low for the load. */
export type Shortage = z.infer<typeof shortageSchema>;

export const socketRoomSchema = z.object({
  needs: connectionNeedsSchema,
  limits: socketLimitsSchema,
  byDescriptors: z.number().nullable().describe('Maximum number of connections by descriptors; null if unknown'),
  ownDescriptors: z.number().describe('Descriptors reserved for other uses of this process'),
  byPorts: z
    .number()
    .nullable()
    .describe('Maximum number of connections to the target by local ports; null if unknown'),
  shortages: z.array(shortageSchema),
});
/** Connections that a run needs, and the system's limits on them. */
export type SocketRoom = z.infer<typeof socketRoomSchema>;

/** Minimum number of descriptors for streams, the result file, the event loop, lookups and child processes. */
const minOwn = 64;
const stillToOpen = 32;

/** Compares the needs of a run with the system's limits. */
export function socketRoom(
  plan: Pick<Plan, 'target' | 'load'>,
  needs: ConnectionNeeds,
  limits: SocketLimits,
): SocketRoom {
  const { descriptors, localPorts } = limits;
  const ownDescriptors = Math.max(minOwn, (descriptors?.open ?? 0) + stillToOpen);
  const byDescriptors = descriptors && Math.max(0, descriptors.limit - ownDescriptors);
  // A Unix socket has no ports.
  const hasPorts = plan.target.unixSocket === null;
  const byPorts = hasPorts ? localPorts && portsOf(localPorts) * Math.max(1, plan.target.localAddresses.length) : null;
  const lacks = [lackOf('descriptors', needs, byDescriptors), lackOf('ports', needs, byPorts)];
  const shortages = lacks
    .filter((lack) => lack !== undefined)
    .map((lack) => ({ ...lack, stops: stopsRun(lack, plan) }));
  return { needs, limits, byDescriptors, ownDescriptors, byPorts, shortages };
}

/** Returns the number of local ports of one address. */
export function portsOf({ first, last, reserved }: NonNullable<SocketLimits['localPorts']>): number {
  return Math.max(0, last - first + 1 - reserved);
}

/**
 * Reports whether the ports belong to one pair of addresses. A host name may have several addresses, each with the
 * whole range; a configured local address is bound before the target is known, and has one range in total.
 */
const hasOneAddress = ({ baseUrl, localAddresses }: Plan['target']): boolean =>
  baseUrl === null || localAddresses.length > 0 || isIP(new URL(baseUrl).hostname.replace(/^\[(.*)\]$/, '$1')) !== 0;

type Lack = Omit<Shortage, 'stops'>;

function lackOf(resource: Shortage['resource'], needs: ConnectionNeeds, room: number | null): Lack | undefined {
  if (room === null) return undefined;
  const need = (['certain', 'expected', 'max'] as const).find((each) => (needs[each] ?? 0) > room);
  return need && { resource, need, connections: needs[need] ?? 0, room };
}

/** Reports whether a shortage stops the run: a certain one does, and an expected one under closed load, whose level is configured. */
function stopsRun({ resource, need }: Lack, { target, load }: Pick<Plan, 'target' | 'load'>): boolean {
  if (resource === 'ports' && !hasOneAddress(target)) return false;
  return need === 'certain' || (need === 'expected' && load.model === 'closed');
}
