import { z } from 'zod';
import { count, durationMs, text } from '../../base/field.ts';

const change = (what: string) => z.number().describe(`${what} (share of the level; of a share: in absolute terms)`);
const changeWithInterval = z.object({
  value: change('The change an hour'),
  low: change('Lower end of its 95 % interval'),
  high: change('Upper end'),
});

const stepSchema = z.object({
  atMs: durationMs("The first moment after it, since the run's start, to within a stretch"),
  change: change('From the level before to the one after'),
  low: change('Lower end of its 95 % interval'),
  high: change('Upper end'),
});

const sawtoothSchema = z.object({
  falls: count('Sudden falls'),
  everyMs: durationMs('Time between two falls, in the middle'),
  depth: change('How far it falls, in the middle'),
});

const crossingSchema = z.object({
  limit: z.number().describe("What is crossed, in the series' unit"),
  from: text('Where the limit comes from: objective, or the condition of a gate'),
  inMs: durationMs('How long after the end of the measured time, if it goes on like this'),
});

const driftVerdicts = ['none', 'drift', 'too_short'] as const;

const seriesDriftSchema = z.object({
  name: text('The figure, as metrics are named; of turns that ended ok'),
  subject: z.enum(['service', 'generator']).describe('Whose figure it is'),
  unit: z.enum(['ms', 'share', 'perSecond', 'bytes']).describe('The unit of its values'),
  verdict: z
    .enum(driftVerdicts)
    .describe('none: no drift is shown; drift: it is not chance; too_short: too little to tell'),
  reason: z.string().nullable().describe('Why there is too little to tell; null when there is not'),
  direction: z.enum(['worse', 'better']).nullable().describe('Where a drift leads; null without one'),
  shape: z
    .enum(['trend', 'step', 'sawtooth'])
    .nullable()
    .describe('trend: little by little; step: at once; sawtooth: slow growth with sudden falls; null without a drift'),
  segments: count('Parts of the measured time that it was read in, each of neighbouring intervals'),
  perHour: changeWithInterval
    .nullable()
    .describe(
      'The slope of Theil and Sen, compounded, with an interval that knows of autocorrelation; null when too short',
    ),
  p: z
    .number()
    .nullable()
    .describe(
      'Probability of so clear a trend without drift: by Mann and Kendall, corrected for autocorrelation, adjusted for the number of series; null when too short',
    ),
  overall: z
    .number()
    .nullable()
    .describe('The slope over the whole measured time (share of the level; of a share: in absolute terms)'),
  first: z.number().nullable().describe("The value at first, over compareMs, in the series' unit"),
  last: z.number().nullable().describe('The value at last, likewise'),
  step: stepSchema.nullable().describe('The step; null for another shape'),
  sawtooth: sawtoothSchema.nullable().describe('The sawtooth; null for another shape'),
  crossing: crossingSchema.nullable().describe('When a limit is crossed if the trend goes on; null when none is'),
});
export type SeriesDrift = z.infer<typeof seriesDriftSchema>;

export const driftSchema = z.object({
  service: z.enum(driftVerdicts).describe('Whether the service got slower, or otherwise another'),
  generator: z
    .enum(driftVerdicts)
    .describe("Whether the generator's own memory or event-loop delay grew: what drifts then may be its doing"),
  fromMs: durationMs(
    "Start of what was looked at, since the run's start: the longest steady level of the load after the warm-up",
  ),
  toMs: durationMs('End of it: what thins out at the end is left out'),
  compareMs: durationMs('How much of its start and of its end are held against each other: an hour, or a fifth'),
  series: z.array(seriesDriftSchema).describe('Figure by figure, those of the generator last'),
});

/** Whether anything changed in the course of a run. */
export type Drift = z.infer<typeof driftSchema>;
