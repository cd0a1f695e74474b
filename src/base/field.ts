import { z } from 'zod';

/** Fields of the published document: a number's unit is part of its description, as it is part of its name. */
export function count(meaning: string) {
  return z.int().min(0).describe(`${meaning} (count)`);
}
export function durationMs(meaning: string) {
  return z.number().min(0).describe(`${meaning} (milliseconds)`);
}
export function perSecond(meaning: string) {
  return z.number().min(0).nullable().describe(`${meaning} (per second; null without measured time)`);
}
export function share(meaning: string) {
  return z.number().min(0).max(1).nullable().describe(`${meaning} (share of 1; null of nothing)`);
}
export function sizeBytes(meaning: string) {
  return z.number().min(0).describe(`${meaning} (bytes)`);
}
export function text(meaning: string) {
  return z.string().describe(meaning);
}

export function flag(meaning: string) {
  return z.boolean().describe(meaning);
}
export function textOrNull(meaning: string) {
  return z.string().nullable().describe(meaning);
}
export function numberOrNull(meaning: string) {
  return z.number().nullable().describe(meaning);
}
/** Returns the schema of an amount, which is never negative; `null` if unknown. */
export function amountOrNull(meaning: string) {
  return z.number().min(0).nullable().describe(meaning);
}

/** Returns the schema of a list whose length does not depend on the run: the time of readers may grow with it, even faster than linearly. */
export function listOf<Entry extends z.ZodType>(entry: Entry, max: number) {
  return z.array(entry).max(max, `it has more than ${String(max)} entries, which no run has`);
}

/** Maximum duration of a run in a document, in milliseconds: a hundred years, so that no date is out of range. */
export const maxRunMs = 3.2e12;

/** Returns the schema of a count for each of a fixed set of names. */
export function countsBy<Name extends string>(names: readonly Name[], meaning: string) {
  return z.record(z.enum(names as readonly [Name, ...Name[]]), z.int().min(0)).describe(`${meaning} (counts by name)`);
}

/** Adds absent names with zero. */
export function sparseCountsBy<Name extends string>(names: readonly Name[], meaning: string) {
  return z
    .partialRecord(z.enum(names as readonly [Name, ...Name[]]), z.int().min(0))
    .describe(`${meaning} (counts by name; zero where absent)`);
}

/** Returns the rate per second; `null` without time. */
export function ratePerSecond(counted: number, timeMs: number): number | null {
  return timeMs > 0 ? counted / (timeMs / 1000) : null;
}

/** Returns a share of a whole; `null` for an empty whole. */
export function shareOf(part: number, whole: number): number | null {
  return whole > 0 ? part / whole : null;
}
