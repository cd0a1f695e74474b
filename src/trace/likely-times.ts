import { isoTimes, likelyUnit, logTimes, numberIn, unitTimes, type TimeReader } from './read-time.ts';
import type { TraceUnit } from './trace.ts';

/** Parser of the times of a trace, and the reason for a unit that may be wrong. */
export interface LikelyTimes extends TimeReader {
  doubt?: string;
}

/**
 * Chooses the parser for times that are milliseconds since the start by their format, from the times at its beginning:
 * published files also have seconds, times since 1970 and dates. `undefined` if none is a time.
 */
export function likelyTimes(values: readonly unknown[], unit: TraceUnit | undefined): LikelyTimes | undefined {
  if (unit !== undefined) return unitTimes(unit);
  const parsers = [unitTimes('ms'), isoTimes, logTimes];
  const given = values.find((value) => parsers.some((times) => times.read(value) !== undefined));
  const first = numberIn(given);
  if (first === undefined) return parsers.find((times) => times.read(given) !== undefined);
  if (first >= firstEpoch) return assumed(likelyUnit(first), 'they are as large as times since 1970');
  return relativeTimes(values.map(numberIn).filter((number): number is number => number !== undefined && number >= 0));
}

/** September 2001, in seconds since 1970; in milliseconds since the start, 11 days. */
const firstEpoch = 1e9;

const assumed = (unit: TraceUnit, doubt: string): LikelyTimes => ({ ...unitTimes(unit, true), doubt });

/** Largest mean gap of a trace in seconds: one with longer gaps has fractions of milliseconds. */
const maxGapSeconds = 600;
/** Smaller mean gaps than this are no traffic in milliseconds: over 100 instants per second. */
const minGapMs = 10;
/** Smaller mean gaps than this may be milliseconds or seconds. */
const usualGapMs = 100;
/** A trace in seconds is at most two weeks long. */
const maxSeconds = 14 * 24 * 3600;

function relativeTimes(numbers: readonly number[]): LikelyTimes {
  const { instants, span } = spreadOf(numbers);
  const gap = instants > 1 ? span / (instants - 1) : Infinity;
  if (numbers.some((number) => !Number.isInteger(number)))
    return instants > 1 && gap > maxGapSeconds
      ? assumed('ms', `they have fractions, but are ${inUnits(gap)} apart on average, too far for seconds`)
      : assumed('s', 'they have fractions');
  if (gap >= usualGapMs) return unitTimes('ms');
  const rate = `as milliseconds they are ${inUnits(gap)} apart on average`;
  const isAbsurd = instants > 2 && span <= maxSeconds && (gap < minGapMs || span < 1000);
  return isAbsurd ? assumed('s', `${rate}, too close for requests`) : assumed('ms', `${rate}, and may be seconds`);
}

function spreadOf(numbers: readonly number[]): { instants: number; span: number } {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  return { instants: sorted.length, span: (sorted.at(-1) ?? 0) - (sorted[0] ?? 0) };
}

const inUnits = (gap: number): string => String(Number(gap.toPrecision(3)));
