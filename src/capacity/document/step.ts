import { z } from 'zod';
import { text } from '../../base/field.ts';

export const loadUnits = ['concurrency', 'rate'] as const;
export type LoadUnit = (typeof loadUnits)[number];

const stepPurposes = ['probe', 'climb', 'narrow', 'confirm', 'recover'] as const;
export type StepPurpose = (typeof stepPurposes)[number];

const stepVerdicts = ['holds', 'broken', 'undecided', 'no_evidence'] as const;
export type StepVerdict = (typeof stepVerdicts)[number];

const figure = (what: string) => z.number().nullable().describe(`${what}; null when nothing says it`);

const failures = (what: string) => z.record(z.string(), z.int()).describe(`${what}; those without any are left out`);

/** Of the part of a step that is judged. */
const stepFiguresSchema = z.object({
  turnsPerSecond: figure('Turns that were ok, a second'),
  sessionsPerSecond: figure('Sessions that ended a second'),
  turnP50Ms: figure('Median turn latency'),
  turnP95Ms: figure('95th percentile of it'),
  turnMeanMs: figure('Its mean'),
  sessionMeanMs: figure('Mean length of the sessions that ended'),
  sessionsLive: figure('Sessions at a time, in the mean'),
  turnsInFlight: figure('Turns in flight, in the mean'),
  failedShare: figure('Failed turns of ok and failed ones'),
  amplification: figure('Attempts a turn'),
  failedAttempts: failures('Failed attempts of turns, by class'),
  failedCreations: failures('Failed attempts to create a session, by class'),
});
export type StepFigures = z.infer<typeof stepFiguresSchema>;

const objectiveSeenSchema = z.object({
  metric: text('As in objectives'),
  condition: text('As in objectives'),
  verdict: z.enum(['holds', 'broken', 'undecided']).describe('What the step says of it'),
  actual: figure('The figure, in its unit'),
  share: figure('What was judged: the part of the whole (turns over the limit, of turns)'),
  low: figure('Lower bound of that share'),
  high: figure('Upper bound of that share'),
  limit: z.number().describe('The share at which it breaks'),
});
export type ObjectiveSeen = z.infer<typeof objectiveSeenSchema>;

/** A stretch of fresh sessions at one load, until its verdict was known. */
export const stepSchema = z.object({
  number: z.int().min(1),
  load: z.number().describe('Concurrent sessions, or sessions per second'),
  by: z
    .enum(loadUnits)
    .optional()
    .describe('Unit of the load, if it is not that of the search: probes of a search by rate set the concurrency'),
  purpose: z
    .enum(stepPurposes)
    .describe(
      'probe: a short step that estimates the limit; climb: to the first load that is shown broken; narrow: between; confirm: an end again; recover: after a broken step',
    ),
  verdict: z.enum(stepVerdicts).describe('no_evidence: the generator could not carry it, or it was cut short'),
  reason: text('Why, in words'),
  isSaturated: z
    .boolean()
    .describe('More came than was served, for as long as it was looked at: it has no steady state'),
  settledMs: z.number().describe('From when on it was judged'),
  elapsedMs: z.number().describe('Its length, with what was under way at its end'),
  sent: z.int().describe('Messages, retries included'),
  sessions: z.int().describe('Sessions started'),
  objectives: z.array(objectiveSeenSchema),
  figures: stepFiguresSchema,
});
export type Step = z.infer<typeof stepSchema>;
