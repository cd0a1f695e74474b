import { z } from 'zod';
import { count, durationMs, text } from '../../base/field.ts';
import type { Warning } from './warning.ts';

const change = (what: string) => z.number().describe(`${what} (share of the level; of a share: in absolute terms)`);
const changeWithInterval = z.object({
  value: change('The change per hour'),
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
  everyMs: durationMs('Median time between two falls'),
  depth: change('Median depth of a fall'),
});

const crossingSchema = z.object({
  limit: z.number().describe("What is crossed, in the series' unit"),
  from: text('Where the limit comes from: objective, or the condition of a gate'),
  inMs: durationMs('Time from the end of the measured time until then, if the trend continues'),
});

const driftVerdicts = ['none', 'drift', 'too_short'] as const;

const seriesDriftSchema = z.object({
  name: text('The figure, as metrics are named; of turns that ended ok'),
  subject: z.enum(['service', 'generator']).describe('Whose figure it is'),
  unit: z.enum(['ms', 'share', 'perSecond', 'bytes']).describe('The unit of its values'),
  verdict: z
    .enum(driftVerdicts)
    .describe('none: no drift is shown; drift: it is not chance; too_short: not enough data'),
  reason: z.string().nullable().describe('Why there is not enough data; null when there is'),
  direction: z.enum(['worse', 'better']).nullable().describe('The direction of a drift; null without one'),
  shape: z
    .enum(['trend', 'step', 'sawtooth'])
    .nullable()
    .describe('trend: gradually; step: at once; sawtooth: slow growth with sudden falls; null without a drift'),
  segments: count('Parts that the measured time was divided into, each of neighbouring intervals'),
  perHour: changeWithInterval
    .nullable()
    .describe('The Theil-Sen slope, compounded, with an interval corrected for autocorrelation; null when too short'),
  p: z
    .number()
    .nullable()
    .describe(
      'Probability of a trend this clear without drift: Mann-Kendall, corrected for autocorrelation, adjusted for the number of series; null when too short',
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
  service: z.enum(driftVerdicts).describe('Whether the service got slower, or changed otherwise'),
  generator: z
    .enum(driftVerdicts)
    .describe("Whether the generator's own memory or event-loop delay grew, which may explain a drift"),
  fromMs: durationMs(
    "Start of the examined time, since the run's start: the longest steady level of the load after the warm-up",
  ),
  toMs: durationMs('Its end; the drain is left out'),
  compareMs: durationMs('Length of the start and the end that are compared: an hour, or a fifth'),
  series: z.array(seriesDriftSchema).describe('Figure by figure, those of the generator last'),
});

/** Whether anything changed during a run. */
export type Drift = z.infer<typeof driftSchema>;

/** What the generator's own drift says about the service's. */
interface GeneratorDrift {
  message: string;
  /** Whether the service's latency grew too: the growth may then be an error of measurement. */
  isShared: boolean;
}

const names: Readonly<Record<string, string>> = {
  'generator.rss': 'memory',
  'generator.heap': 'heap',
  'generator.eventLoopDelay': 'event-loop delay',
};

/** `undefined` where the generator was steady. */
export function generatorDrift(drift: Drift | undefined): GeneratorDrift | undefined {
  const grown = drift?.series.filter((each) => each.subject === 'generator' && each.verdict === 'drift') ?? [];
  if (grown.length === 0) return undefined;
  const grownText = `the generator's own ${grown.map(growthText).join(', its ')}`;
  const isShared = drift?.series.some(isSlower) ?? false;
  const message = isShared
    ? `${grownText}: what looks like a slower service may be a slower generator`
    : `${grownText} during the run`;
  return { message, isShared };
}

/** Where the service's latency did not grow, it does not invalidate the figures, but is reported. */
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
