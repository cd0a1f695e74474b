import { z } from 'zod';
import type { Forecast } from './forecast.ts';

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
