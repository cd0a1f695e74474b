import { z } from 'zod';
import type { Forecast } from './forecast.ts';

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
