import { z } from 'zod';

/** Fields of the published document: a number's unit is part of its description, as it is part of its name. */
export const count = (meaning: string) => z.int().min(0).describe(`${meaning} (count)`);
export const durationMs = (meaning: string) => z.number().min(0).describe(`${meaning} (milliseconds)`);
export const perSecond = (meaning: string) =>
  z.number().min(0).nullable().describe(`${meaning} (per second; null without measured time)`);
export const share = (meaning: string) =>
  z.number().min(0).max(1).nullable().describe(`${meaning} (share of 1; null of nothing)`);
export const sizeBytes = (meaning: string) => z.number().min(0).describe(`${meaning} (bytes)`);
export const text = (meaning: string) => z.string().describe(meaning);

/** The longest that a document may say of a run, in milliseconds: a hundred years. No date goes out of range with it. */
export const longestRunMs = 3.2e12;

/** A count for each of a fixed set of names. */
export const countsBy = <Name extends string>(names: readonly Name[], meaning: string) =>
  z.record(z.enum(names as readonly [Name, ...Name[]]), z.int().min(0)).describe(`${meaning} (counts by name)`);

/** The same, where a name that is not there stands for zero. */
export const sparseCountsBy = <Name extends string>(names: readonly Name[], meaning: string) =>
  z
    .partialRecord(z.enum(names as readonly [Name, ...Name[]]), z.int().min(0))
    .describe(`${meaning} (counts by name; zero where absent)`);

/** How many per second; `null` without time. */
export const ratePerSecond = (counted: number, timeMs: number): number | null =>
  timeMs > 0 ? counted / (timeMs / 1000) : null;

/** A share of a whole; `null` of nothing. */
export const shareOf = (part: number, whole: number): number | null => (whole > 0 ? part / whole : null);
