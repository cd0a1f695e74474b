import { z } from 'zod';
import { meanOf } from './sample-duration.ts';
import type { Forecast } from './forecast.ts';
import type { Plan, Segment } from './plan.ts';
import { meanTurns } from './session-plan.ts';

export const connectionNeedsSchema = z.object({
  certain: z.number().describe('At least so many, however fast the replies are; else the load is not what was asked'),
  expected: z.number().describe('At the peak, if replies take as long as the forecast assumed'),
  most: z
    .number()
    .nullable()
    .describe('Never more, however slow the replies are; null where no level of the load bounds it'),
});
/** How many connections a run has open at once: every exchange under way has one of its own, a creation as well as a turn. */
export type ConnectionNeeds = z.infer<typeof connectionNeedsSchema>;

/**
 * Works out the connections of a run. A session has one exchange under way at a time, so live sessions bound them;
 * `maxTurnsInFlight` does not, since it holds turns alone and sessions that start together are created together.
 */
export function connectionNeeds(plan: Plan, forecast: Forecast): ConnectionNeeds {
  const sessions = plan.sessions ?? Infinity;
  const most = mostLive(plan);
  const expected = Math.ceil(expectedConnections(plan, forecast));
  return {
    certain: Math.min(sessions, certainConnections(plan)),
    expected: Math.max(1, Math.min(expected, most, sessions)),
    most: most === Infinity ? null : Math.min(most, sessions),
  };
}

const mostLive = (plan: Plan): number =>
  plan.load.model === 'open' ? (plan.load.maxConcurrency ?? Infinity) : highestLevel(plan);

/** Sessions that start together; without think times, all that are live. */
function certainConnections(plan: Plan): number {
  const { load } = plan;
  if (load.model === 'open') return 1;
  const busy = thinkMs(plan) > 0 ? 0 : Math.min(highestLevel(plan), load.maxTurnsInFlight ?? Infinity);
  return Math.max(largestJump(plan), busy);
}

function expectedConnections(plan: Plan, { sessionMs, peakLiveSessions }: Forecast): number {
  const busy = (peakLiveSessions * Math.max(0, sessionMs - thinkMs(plan))) / sessionMs;
  const creations = busy / (meanTurns(plan.turns) + 1);
  return Math.min(busy, creations + (plan.load.maxTurnsInFlight ?? Infinity));
}

/** The total think time of a session, on average. */
const thinkMs = ({ turns, thinkTime }: Plan): number => Math.max(0, meanTurns(turns) - 1) * meanOf(thinkTime);

/** The most slots that are open before the duration is over. */
const highestLevel = (plan: Plan): number =>
  reached(plan).reduce((highest, { from, to }) => Math.max(highest, Math.ceil(from), Math.ceil(to)), 0);

/** The most slots that open at one instant. */
const largestJump = (plan: Plan): number =>
  reached(plan).reduce(
    ({ largest, level }, { from, to }) => ({
      largest: Math.max(largest, Math.ceil(from) - Math.ceil(level)),
      level: to,
    }),
    { largest: 1, level: 0 },
  ).largest;

/** The segments of the load before the end of the duration, the last one cut off there. */
const reached = ({ load, durationMs }: Plan): Segment[] =>
  load.segments
    .filter(({ startMs }) => startMs < (durationMs ?? Infinity))
    .map((segment) => {
      const { startMs, endMs, from, to } = segment;
      if (durationMs === null || endMs === null || endMs <= durationMs) return segment;
      return { ...segment, endMs: durationMs, to: from + ((to - from) * (durationMs - startMs)) / (endMs - startMs) };
    });
