import { failedTurns, type Counters } from '../../record/counters.ts';
import { z } from 'zod';
import { durationMs, perSecond, ratePerSecond, sizeBytes, count, amountOrNull, flag } from '../../base/field.ts';
import type { Plan } from '../../plan/plan.ts';
import { nanosPerUnit } from '../../plan/prices.ts';
import type { IntervalLevels } from '../../record/gauges.ts';
import { spendingOf } from './cost.ts';

export const rateFiguresSchema = z.object({
  measuredMs: durationMs('Time that rates refer to: the run without its warm-up'),
  turnsPerSecond: perSecond('Ok and failed turns'),
  attemptsPerSecond: perSecond('Attempts of turns'),
  sessionsPerSecond: perSecond('Sessions that were created and completed or failed'),
  sessionsStartedPerSecond: perSecond('Sessions started'),
  goodputPerSecond: perSecond('Ok turns within the latency objective'),
});
export type RateFigures = z.infer<typeof rateFiguresSchema>;

export const trafficSchema = z.object({
  sentBytes: sizeBytes('Bytes sent: heads and bodies of all requests'),
  receivedBytes: sizeBytes('Bytes received: heads and bodies of all responses'),
  connectionsOpened: z.int().min(0).describe('Connections opened (count)'),
});
export type Traffic = z.infer<typeof trafficSchema>;

export const ratesSchema = rateFiguresSchema.extend({
  traffic: trafficSchema
    .nullable()
    .describe('Traffic of the connections, including the warm-up; null when not measured'),
});

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

export const spendingSchema = z.object({
  turns: count('Messages sent, including retries; limited by maxTurns'),
  sessions: count('Creations sent, including retries; limited by maxSessions'),
  cost: amountOrNull(
    'Known cost of all attempts of turns, in the currency of cost or prices; null if the scenario has neither',
  ),
});
type SpendingSection = z.infer<typeof spendingSchema>;

export function buildSpending(whole: Counters, { cost, prices }: Pick<Plan, 'cost' | 'prices'>): SpendingSection {
  const { exchanges } = whole;
  return {
    turns: exchanges.attempts,
    sessions: exchanges.createAttempts,
    cost: cost === null && prices === null ? null : spendingOf(whole, { cost }).costNanos / nanosPerUnit,
  };
}

const levelSchema = z.object({
  mean: z.number().min(0).describe('Mean, weighted by time (count)'),
  max: count('Maximum'),
});

export const levelsSchema = z.object({
  sessions: levelSchema.describe('Live sessions: from the first create attempt to the end'),
  turns: levelSchema.describe('Turns in flight, including backoffs'),
});
type LevelFigures = z.infer<typeof levelsSchema> & Pick<Concurrency, 'sockets'>;

export const concurrencySchema = levelsSchema.extend({
  sockets: levelSchema.optional().describe('Open sockets of sessions; only over WebSocket'),
  maxIsUpperBound: flag(
    'True if the maxima are upper bounds: the maxima of several workers are added, although they may not coincide',
  ),
});
export type Concurrency = z.infer<typeof concurrencySchema>;

export function buildLevels(levels: readonly IntervalLevels[]): LevelFigures {
  const lengthUs = levels.reduce((sum, each) => sum + each.lengthUs, 0);
  const mean = (area: (each: IntervalLevels) => number): number =>
    lengthUs === 0 ? 0 : levels.reduce((sum, each) => sum + area(each), 0) / lengthUs;
  return {
    sessions: { mean: mean((each) => each.sessionsUs), max: Math.max(0, ...levels.map((each) => each.maxSessions)) },
    turns: { mean: mean((each) => each.turnsUs), max: Math.max(0, ...levels.map((each) => each.maxTurns)) },
    ...(levels.some(({ maxSockets }) => maxSockets !== undefined) && {
      sockets: {
        mean: mean((each) => each.socketsUs ?? 0),
        max: Math.max(0, ...levels.map((each) => each.maxSockets ?? 0)),
      },
    }),
  };
}
