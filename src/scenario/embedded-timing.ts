import { z } from 'zod';
import { ms, type Ms } from '../base/time.ts';
import { closedObject } from './closed-object.ts';
import { duration, type Duration } from './duration.ts';

/** Condition under which a fault applies. At most one of `share`, `every` and `first`; without any of them it always applies. */
export interface StrikeTimingOptions {
  /** Probability, 0 to 1, of each operation, by a seeded draw. Default: all. */
  share?: number;
  /** Every n-th operation: 3 is the third, the sixth and so on. Default: all. */
  every?: number;
  /** The first n operations. Default: all. */
  first?: number;
  /** Only operations that arrive within this time since the start of the service; `to` is optional. Default: always. */
  window?: { from: Duration; to?: Duration };
}

/** Resolved timing: JSON-safe, with all defaults. */
export interface ResolvedTiming {
  strikes: { by: 'share'; share: number } | { by: 'every'; count: number } | { by: 'first'; count: number };
  fromMs: Ms;
  /** `null`: forever. */
  toMs: Ms | null;
}

/** The fields of a timing, to be spread into a closed object. */
export const timingFields = {
  share: z.number().min(0).max(1).optional(),
  every: z.int().min(1).optional(),
  first: z.int().min(1).optional(),
  window: closedObject({ from: duration, to: duration.optional() }).optional(),
};

type ReadTiming = z.output<z.ZodObject<typeof timingFields>>;

/** Adds an issue for every contradiction between the fields of a timing. */
export function checkTiming({ share, every, first, window }: ReadTiming, context: z.RefinementCtx): void {
  const refuse = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
  if (countGiven(share, every, first) > 1) refuse('share', 'set at most one of share, every and first');
  if (window?.to !== undefined && window.to <= window.from) refuse('window', 'to must be after from');
}

export function resolveTiming({ share, every, first, window }: ReadTiming): ResolvedTiming {
  const strikes: ResolvedTiming['strikes'] =
    every !== undefined
      ? { by: 'every', count: every }
      : first !== undefined
        ? { by: 'first', count: first }
        : { by: 'share', share: share ?? 1 };
  return { strikes, fromMs: window?.from ?? ms(0), toMs: window?.to ?? null };
}

export function countGiven(...values: readonly unknown[]): number {
  return values.filter((value) => value !== undefined).length;
}
