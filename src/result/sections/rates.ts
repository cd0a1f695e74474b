import { failedTurns } from '../../record/counters.ts';
import { z } from 'zod';
import type { Counters } from '../../record/counters.ts';
import { durationMs, perSecond, ratePerSecond, sizeBytes } from '../../base/field.ts';

export const rateFiguresSchema = z.object({
  measuredMs: durationMs('The time that rates refer to: the run without its warm-up'),
  turnsPerSecond: perSecond('Ok and failed turns'),
  attemptsPerSecond: perSecond('Attempts of turns'),
  sessionsPerSecond: perSecond('Sessions that were created and completed or failed'),
  sessionsStartedPerSecond: perSecond('Sessions started'),
  goodputPerSecond: perSecond('Ok turns within the latency objective'),
});
export type RateFigures = z.infer<typeof rateFiguresSchema>;

/** What went through the connections of a run, the warm-up included. */
export const trafficSchema = z.object({
  sentBytes: sizeBytes('Sent: heads and bodies of all requests'),
  receivedBytes: sizeBytes('Received: heads and bodies of all responses'),
  connectionsOpened: z.int().min(0).describe('Connections opened (count)'),
});
export type Traffic = z.infer<typeof trafficSchema>;

export const ratesSchema = rateFiguresSchema.extend({
  traffic: trafficSchema
    .nullable()
    .describe('Traffic of the connections, including the warm-up; null when it was not measured'),
});

/** The rates of a part of a run that was measured for `timeMs`. */
export function buildRates({ turns, exchanges, sessions, turnFlow }: Counters, timeMs: number): RateFigures {
  return {
    measuredMs: timeMs,
    turnsPerSecond: ratePerSecond(turns.ok + failedTurns(turns), timeMs),
    attemptsPerSecond: ratePerSecond(exchanges.attempts, timeMs),
    sessionsPerSecond: ratePerSecond(sessions.completed + sessions.failed, timeMs),
    sessionsStartedPerSecond: ratePerSecond(sessions.started, timeMs),
    goodputPerSecond: ratePerSecond(turnFlow.good, timeMs),
  };
}
