import { z } from 'zod';
import { count, durationMs, text, textOrNull, numberOrNull } from '../../base/field.ts';
import type { Warning } from './warning.ts';

const change = (meaning: string) => z.number().describe(`${meaning} (share of the level; for a share absolute)`);
const changeWithInterval = z.object({
  value: change('Change per hour'),
  low: change('Lower end of its 95 % confidence interval'),
  high: change('Upper end of the interval'),
});

const stepSchema = z.object({
  atMs: durationMs('First moment after the step, since the start of the run, to within a segment'),
  change: change('Change from the level before to the level after'),
  low: change('Lower end of its 95 % confidence interval'),
  high: change('Upper end of the interval'),
});

const sawtoothSchema = z.object({
  falls: count('Number of sudden falls'),
  everyMs: durationMs('Median time between two falls'),
  depth: change('Median depth of a fall'),
});

const crossingSchema = z.object({
  limit: z.number().describe('Limit in the unit of the series'),
  from: text('Source of the limit: objective, or the condition of a gate'),
  inMs: durationMs('Time from the end of the measured part to the crossing, if the trend continues'),
});

const driftVerdicts = ['none', 'drift', 'too_short'] as const;

const seriesDriftSchema = z.object({
  name: text('Name of the series, as in metrics; for turns that ended ok'),
  subject: z.enum(['service', 'generator']).describe('Subject of the series'),
  unit: z.enum(['ms', 'share', 'perSecond', 'bytes', 'cost']).describe('Unit of the values'),
  verdict: z
    .enum(driftVerdicts)
    .describe('none: no drift detected; drift: a drift that chance does not explain; too_short: not enough data'),
  reason: textOrNull('Reason for not enough data; null if there is enough'),
  direction: z.enum(['worse', 'better']).nullable().describe('Direction of a drift; null if there is none'),
  shape: z
    .enum(['trend', 'step', 'sawtooth'])
    .nullable()
    .describe('trend: gradually; step: at once; sawtooth: slow growth with sudden falls; null without a drift'),
  segments: count('Number of parts of the measured time, each of neighbouring intervals'),
  perHour: changeWithInterval
    .nullable()
    .describe(
      'Theil-Sen slope, compounded, with a confidence interval corrected for autocorrelation; null if too short',
    ),
  p: numberOrNull(
    'Probability of a trend this clear without drift: Mann-Kendall, corrected for autocorrelation, adjusted for the number of series; null if too short',
  ),
  overall: numberOrNull('Slope over the whole measured time (share of the level; for a share absolute)'),
  first: numberOrNull('Initial value, over compareMs, in the unit of the series'),
  last: numberOrNull('Final value, likewise'),
  step: stepSchema.nullable().describe('Step; null for another shape'),
  sawtooth: sawtoothSchema.nullable().describe('Sawtooth; null for another shape'),
  crossing: crossingSchema
    .nullable()
    .describe('Time at which a limit is crossed if the trend continues; null if none is'),
});
export type SeriesDrift = z.infer<typeof seriesDriftSchema>;

export const driftSchema = z.object({
  service: z.enum(driftVerdicts).describe('Verdict on the service: slower, or otherwise changed'),
  generator: z
    .enum(driftVerdicts)
    .describe("Verdict on the generator's own memory and event-loop delay, whose growth may explain a drift"),
  fromMs: durationMs(
    'Start of the examined time, since the start of the run: the longest steady level of the load after the warm-up',
  ),
  toMs: durationMs('End of the examined time, before the drain'),
  compareMs: durationMs('Length of the compared start and end: an hour, or a fifth of the time'),
  series: z.array(seriesDriftSchema).describe('Drift by series, first the service, then the generator'),
});

export type Drift = z.infer<typeof driftSchema>;

interface GeneratorDrift {
  message: string;
  /** True if the service's latency grew too: the growth may then be an error of measurement. */
  isShared: boolean;
}

const names: Readonly<Record<string, string>> = {
  'generator.rss': 'memory',
  'generator.heap': 'heap',
  'generator.eventLoopDelay': 'event-loop delay',
};

/** Describes the generator's drift; `undefined` if it was steady. */
export function generatorDrift(drift: Drift | undefined): GeneratorDrift | undefined {
  const grown = drift?.series.filter((each) => each.subject === 'generator' && each.verdict === 'drift') ?? [];
  if (grown.length === 0) return undefined;
  const grownText = `the generator's own ${grown.map(growthText).join(', its ')}`;
  const isShared = drift?.series.some(isSlower) ?? false;
  const message = isShared
    ? `${grownText}: an apparently slower service may be a slower generator`
    : `${grownText} during the run`;
  return { message, isShared };
}

/** Warns about drift of the generator without growth of the service's latency: the figures are not invalid, but may be affected. */
export function driftWarnings(drift: Drift): Warning[] {
  const own = generatorDrift(drift);
  if (own === undefined || own.isShared) return [];
  return [
    {
      code: 'generator_drifted',
      message: `${own.message}.`,
      remedy: 'In a longer run it may distort the figures: see intervals[].generator.',
    },
  ];
}

const isSlower = ({ subject, unit, direction }: SeriesDrift): boolean =>
  subject === 'service' && unit === 'ms' && direction === 'worse';

const growthText = ({ name, overall }: SeriesDrift): string =>
  `${names[name] ?? name} grew by ${((overall ?? 0) * 100).toFixed(0)} %`;
