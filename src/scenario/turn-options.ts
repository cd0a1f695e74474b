import { z } from 'zod';
import { closedObject, readWith } from './closed-object.ts';
import type { TurnOptions } from './scenario-values.ts';

/** Schema of resolved turns per session. Draws from `normal` are rounded, and at least 1. */
export const readTurns = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('constant'), turns: z.int().min(1) }),
  z.object({ kind: z.literal('uniform'), min: z.int().min(1), max: z.int().min(1) }),
  z.object({ kind: z.literal('normal'), mean: z.number(), sd: z.number() }),
  z.object({
    kind: z.literal('weights'),
    ranges: z.array(z.object({ min: z.int(), max: z.int(), weight: z.number() })),
  }),
]);
export type ResolvedTurns = z.infer<typeof readTurns>;

/** Named distributions of turns per session, taken from public chat logs and a support agent. */
export const turnPresets = {
  'public-mix': { weights: { '1': 35, '2': 25, '3-4': 25, '5-8': 12, '9-16': 3 } },
  'support-agent': { mean: 7, sd: 2 },
} as const satisfies Record<string, TurnOptions>;

const count = z.int().min(1).max(100_000);

const uniform = closedObject({ min: count, max: count })
  .refine(({ min, max }) => min <= max, { message: 'min must not be greater than max' })
  .transform((value): ResolvedTurns => ({ kind: 'uniform', ...value }));

const normal = closedObject({ mean: z.number().min(1), sd: z.number().min(0) }).transform((value): ResolvedTurns => ({
  kind: 'normal',
  ...value,
}));

const rangeName = /^(\d+)(?:-(\d+))?$/;

const weights = closedObject({ weights: z.record(z.string(), z.number().min(0)) }).transform(
  (value, context): ResolvedTurns => {
    const ranges = Object.entries(value.weights).map(([name, weight]) => ({ ...readRange(name), weight }));
    if (ranges.some(({ min, max }) => !(min >= 1 && max >= min)))
      context.addIssue({ code: 'custom', path: ['weights'], message: "names are turn counts such as '3' or '5-8'" });
    else if (ranges.every(({ weight }) => weight === 0))
      context.addIssue({ code: 'custom', path: ['weights'], message: 'at least one weight must be above 0' });
    return { kind: 'weights', ranges };
  },
);

function readRange(name: string): { min: number; max: number } {
  const match = rangeName.exec(name);
  const min = Number(match?.[1] ?? 0);
  return { min, max: Number(match?.[2] ?? min) };
}

const constant = count.transform((turns): ResolvedTurns => ({ kind: 'constant', turns }));

/** The schema of `turns`; selects the form by its keys, so that a problem is reported for the intended form. */
export const turnOptions = z.custom<TurnOptions>().transform((value, context) => {
  const turns: unknown = isPreset(value) ? turnPresets[value] : value;
  return readWith(formOf(turns), turns, context);
});

const isPreset = (value: unknown): value is keyof typeof turnPresets =>
  typeof value === 'string' && Object.hasOwn(turnPresets, value);

function formOf(value: unknown): z.ZodType<ResolvedTurns> {
  if (typeof value === 'string') return unknownPreset;
  if (typeof value !== 'object' || value === null) return constant;
  if ('weights' in value) return weights;
  return 'mean' in value || 'sd' in value ? normal : uniform;
}

const unknownPreset = z.custom<ResolvedTurns>(() => false, {
  error: `expected a number, a distribution, or a preset: ${Object.keys(turnPresets).join(', ')}`,
});
