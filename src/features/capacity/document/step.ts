import { z } from 'zod';
import { text, numberOrNull, flag } from '../../../base/field.ts';

export const loadUnits = ['concurrency', 'rate'] as const;
export type LoadUnit = (typeof loadUnits)[number];

const stepPurposes = ['probe', 'climb', 'narrow', 'confirm', 'recover'] as const;
export type StepPurpose = (typeof stepPurposes)[number];

const stepVerdicts = ['holds', 'broken', 'undecided', 'no_evidence'] as const;
export type StepVerdict = (typeof stepVerdicts)[number];

const figure = (meaning: string) => numberOrNull(`${meaning}; null if unknown`);

const errorOf = (name: string) =>
  figure(`Measurement error of ${name}: the true value is at most this much lower`).optional();

const failures = (meaning: string) =>
  z.record(z.string(), z.int()).describe(`${meaning}; classes without any are omitted`);

const stepFiguresSchema = z.object({
  turnsPerSecond: figure('Successful turns per second'),
  sessionsPerSecond: figure('Sessions that ended, per second'),
  turnP50Ms: figure('Median turn latency'),
  turnP95Ms: figure('95th percentile of turn latency'),
  turnMeanMs: figure('Mean turn latency'),
  turnP50ErrorMs: errorOf('turnP50Ms'),
  turnP95ErrorMs: errorOf('turnP95Ms'),
  turnMeanErrorMs: errorOf('turnMeanMs'),
  sessionMeanMs: figure('Mean duration of the sessions that ended'),
  sessionsLive: figure('Mean number of concurrent sessions'),
  turnsInFlight: figure('Mean number of turns in flight'),
  failedShare: figure('Share of failed turns among ok and failed turns'),
  amplification: figure('Attempts per turn'),
  failedAttempts: failures('Failed attempts of turns, by class'),
  failedCreations: failures('Failed attempts to create a session, by class'),
});
export type StepFigures = z.infer<typeof stepFiguresSchema>;

const objectiveSeenSchema = z.object({
  metric: text('As in objectives'),
  condition: text('As in objectives'),
  verdict: z.enum(['holds', 'broken', 'undecided']).describe('Verdict of this step'),
  actual: figure('Value of the metric, in its unit'),
  share: figure('Judged share of the whole, such as the share of turns over the limit'),
  low: figure('Lower bound of the share'),
  high: figure('Upper bound of the share'),
  limit: z.number().describe('Share at which the objective fails'),
});
export type ObjectiveSeen = z.infer<typeof objectiveSeenSchema>;

/** A run of fresh sessions at one load, until its verdict is known. */
export const stepSchema = z.object({
  number: z.int().min(1),
  load: z.number().describe('Concurrent sessions, or sessions per second'),
  by: z
    .enum(loadUnits)
    .optional()
    .describe(
      'Unit of the load, if it differs from the unit of the search: probes of a search by rate set the concurrency',
    ),
  purpose: z
    .enum(stepPurposes)
    .describe(
      'probe: a short step that estimates the limit; climb: increases the load until one is shown to fail; narrow: a load between both ends; confirm: repeats an end; recover: tests the recovery after a broken step',
    ),
  verdict: z
    .enum(stepVerdicts)
    .describe('no_evidence: the generator could not send the load, or the step was cut short'),
  reason: text('Reason for the verdict'),
  isSaturated: flag('True if more turns arrived than were served throughout the step, so that it has no steady state'),
  settledMs: z.number().describe('Start of the judged part, since the start of the step'),
  elapsedMs: z.number().describe('Duration, including sessions that were still in progress at its end'),
  sent: z.int().describe('Messages, retries included'),
  sessions: z.int().describe('Sessions started'),
  objectives: z.array(objectiveSeenSchema),
  figures: stepFiguresSchema,
});
export type Step = z.infer<typeof stepSchema>;
