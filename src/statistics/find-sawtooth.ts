import { median } from './averages.ts';
import { medianSlope, pairSlopes } from './test-trend.ts';

export interface Sawtooth {
  /** Where the values had fallen: the first value after each fall. */
  falls: number[];
  /** How far it falls, in the middle of its falls; positive. */
  depth: number;
}

/**
 * A fall is this number of standard deviations of a difference, estimated from the median distance: chance causes none
 * in 600.
 */
const leastDepth = 5;
const leastFalls = 3;
/** Values between two falls. */
const leastLength = 5;
/** Slow growth makes up for this share of the falls; otherwise it is a jump that falls back. */
const leastMadeUp = 0.5;
/** Of the depth, in the middle of the teeth: a series that rises as suddenly as it falls alternates between two levels. */
const mostAtOnce = 0.7;

/**
 * Repeated slow growth with sudden falls, typical of something that fills and is emptied: a leak in a service that
 * is restarted, a cache, a queue. Unlike noise, it does not look the same when time is reversed.
 */
export function findSawtooth(values: readonly number[]): Sawtooth | undefined {
  const falls = fallsOf(values);
  if (falls.length < leastFalls) return undefined;
  const teeth = falls.map((fall, at) => values.slice(fall, (falls[at + 1] ?? values.length + 1) - 1));
  const whole = teeth.slice(0, -1);
  if (whole.some((tooth) => tooth.length < leastLength)) return undefined;
  const growths = whole.map(growthOf);
  const depths = falls.slice(1).map((fall, at) => median(ends(whole[at] ?? [])) - median(starts(values.slice(fall))));
  const [grown, fallen] = [median(growths), median(depths)];
  if (growths.some((growth) => growth <= 0) || fallen <= 0 || grown < leastMadeUp * fallen) return undefined;
  if (median(whole.map(steepestRise)) > mostAtOnce * fallen) return undefined;
  return { falls, depth: fallen };
}

/** Falls from the value before to the one after: a fall within an interval leaves a value halfway. */
function fallsOf(values: readonly number[]): number[] {
  const changes = values.slice(2).map((value, at) => value - (values[at] ?? value));
  if (changes.length === 0) return [];
  const usual = median(changes);
  const spread = 1.4826 * median(changes.map((change) => Math.abs(change - usual)));
  const isFall = (change: number): boolean => spread > 0 && change - usual < -leastDepth * spread;
  return changes.flatMap((change, at) => {
    const [before = 0, after = 0] = [changes[at - 1], changes[at + 1]];
    // A fall shows in two neighbouring changes: the deeper one counts, the first of equals.
    return isFall(change) && change < before && change <= after ? [at + 2] : [];
  });
}

function growthOf(tooth: readonly number[]): number {
  const points = tooth.map((value, at) => ({ at, value }));
  return medianSlope(pairSlopes(points)) * (tooth.length - 1);
}

const steepestRise = (tooth: readonly number[]): number =>
  Math.max(...tooth.slice(2).map((value, at) => value - (tooth[at] ?? value)));

const ends = (tooth: readonly number[]): readonly number[] => tooth.slice(-3);
const starts = (tooth: readonly number[]): readonly number[] => tooth.slice(0, 3);
