import { sumBy } from '../../../statistics/averages.ts';
import type { Step, ObjectiveSeen } from '../document/step.ts';
import type { Shown } from './search.ts';

/**
 * Distance of a load from the load at which the first objective breaks: below 0 all hold, above 0 one is broken. Shares
 * use a logistic scale, other ratios a logarithmic one: both are nearly straight lines over the logarithm of the load.
 */
interface Closeness {
  value: number;
  error: number;
}

/** Distance beyond which the straight line no longer applies. */
export const farthest = 3;
/** Half width of the bounds of a share, in standard errors. */
const boundErrors = 1.7;

/** Returns the closeness of a step; `null`: it shows only on which side it is, or nothing. */
export function closenessOf({ objectives, isSaturated, verdict }: Step): Closeness | null {
  if (verdict === 'no_evidence') return null;
  const known = objectives.flatMap((seen) => objectiveCloseness(seen) ?? []);
  const nearest = known.reduce<Closeness | null>((a, b) => (a === null || b.value > a.value ? b : a), null);
  if (isSaturated) return { value: farthest, error: farthest };
  return nearest;
}

function objectiveCloseness({ share, low, high, limit, verdict }: ObjectiveSeen): Closeness | null {
  if (share === null || low === null || high === null) return null;
  // A count is on one side of its limit or the other.
  if (low === high) return verdict === 'broken' ? { value: farthest, error: farthest } : null;
  const scale = limit < 1 && high <= 1 ? logit : Math.log;
  // The lower bound of a mean can be negative.
  const clipped = (value: number): number =>
    value <= 0 ? -farthest : Math.max(-farthest, Math.min(farthest, scale(value) - scale(limit)));
  const [from, to] = [clipped(low), clipped(high)];
  const between = (from + to) / 2;
  const value = share === 0 ? Math.min(-clearly, between) : share < 1 ? clipped(share) : between;
  return { value, error: Math.max(0.05, (to - from) / (2 * boundErrors)) };
}

/** Distance of a step with few turns, none of them over the limit: it is more likely to hold than not. */
const clearly = 0.5;

const logit = (share: number): number => Math.log(share / (1 - share));

export function seemsBroken({ verdict, objectives }: Step): boolean {
  return (
    verdict === 'broken' ||
    objectives.some(({ share, low, limit }) => share !== null && share > limit && (low ?? 0) > limit / 2)
  );
}

/** Reports whether a step holds, or is undecided and leans towards holding. */
export function seemsToHold(step: Step): boolean {
  if (step.verdict !== 'undecided') return step.verdict === 'holds';
  return (closenessOf(step)?.value ?? -1) < 0;
}

interface Leaning {
  load: number;
  holds: boolean;
  isFull: boolean;
}

interface Bracket {
  low: number | null;
  high: number | null;
}

/** Finds the bracket: a load that seems broken outranks a higher one that seems to hold, and a full step a quick one. */
export function bracketOf(shown: readonly Shown[]): Bracket {
  const sure = shown.filter(isSure);
  const leanings = leaningsOf(sure.length > 0 ? sure : shown);
  const full = leanings.filter(({ isFull }) => isFull);
  const shownToHold = Math.max(0, ...full.filter(({ holds }) => holds).map(({ load }) => load));
  const believed = leanings.filter(({ holds, isFull, load }) => isFull || holds || load > shownToHold);
  const high = lowestOf(believed.filter(({ holds }) => !holds));
  const low = highestOf(believed.filter(({ holds, load }) => holds && load < (high ?? Infinity)));
  return { low, high };
}

/** Minimum distance from the limit of a step without a certain verdict. */
const farEnough = { probe: 0, quick: 0.5, full: 0.5 };

/** A step close to the limit shows where the limit is, but not on which side it is. */
function isSure({ step, certainty, isRising = false }: Shown): boolean {
  if (certainty === 'full' && step.verdict !== 'undecided') return true;
  // The slow turns of a queue that still grows have not ended.
  if (step.objectives.every(({ share }) => share === 0)) return !isRising || step.verdict === 'holds';
  return Math.abs(closenessOf(step)?.value ?? farEnough.quick) >= farEnough[certainty];
}

function leaningsOf(shown: readonly Shown[]): Leaning[] {
  const loads = [...new Set(shown.map(({ step }) => step.load))];
  return loads.map((load) => {
    const of = shown.filter(({ step }) => step.load === load);
    const full = of.filter(({ certainty }) => certainty === 'full');
    const decisive = full.length > 0 ? full : of.slice(-1);
    return { load, holds: meanLeaning(decisive) < 0, isFull: full.length > 0 };
  });
}

function meanLeaning(steps: readonly Shown[]): number {
  const signs = steps.map(({ step }): number => {
    if (step.verdict === 'undecided') return Math.max(-1, Math.min(1, closenessOf(step)?.value ?? -1));
    return seemsToHold(step) ? -1 : 1;
  });
  return signs.reduce((sum, sign) => sum + sign, 0) / signs.length;
}

const lowestOf = (leanings: readonly Leaning[]): number | null =>
  leanings.length === 0 ? null : Math.min(...leanings.map(({ load }) => load));

const highestOf = (leanings: readonly Leaning[]): number | null =>
  leanings.length === 0 ? null : Math.max(...leanings.map(({ load }) => load));

export interface LimitEstimate {
  load: number;
  /** Standard error of its logarithm; Infinity: the limit may be anywhere in the bracket. */
  error: number;
}

interface Point {
  x: number;
  y: number;
  weight: number;
}

/** Factor around the bracket within which steps contribute to the slope. */
const beyond = 1.35;
/** Error of the straight line, as a share of the distance from the limit. */
const bend = 0.3;
/** Minimum error: a quick step ends before its queue has varied, so its own bounds are too narrow. */
const minError = { probe: 1, quick: 1, full: 0.05 };
/** Minimum distance of an estimate from either end, as a part of the bracket. */
const margin = 0.1;

/**
 * Fits a line through the steps around the bracket, weighted by certainty and nearness; the result is kept within the
 * bracket. Without such a line, the point divides the bracket by the distance of both ends from their limit.
 */
export function estimateLimit(shown: readonly Shown[], { low, high }: { low: number; high: number }): LimitEstimate {
  const near = shown.filter(({ step: { load } }) => load >= low / beyond && load <= high * beyond);
  const points = near.flatMap(({ step, certainty, isRising = false }): Point[] => {
    if (isRising && certainty !== 'full' && step.verdict === 'undecided') return [];
    const closeness = closenessOf(step);
    if (closeness === null || Math.abs(closeness.value) >= farthest) return [];
    const weight = 1 / (Math.max(closeness.error, minError[certainty]) ** 2 + (bend * closeness.value) ** 2);
    return [{ x: Math.log(step.load), y: closeness.value, weight }];
  });
  const crossing = lineCrossing(points);
  const [from, to] = [Math.log(low), Math.log(high)];
  const width = to - from;
  const isKnown = crossing !== null && crossing.error < width;
  const wanted = isKnown ? crossing.x : from + width * nearnessOf(shown, { low, high });
  const x = Math.min(to - margin * width, Math.max(from + margin * width, wanted));
  return { load: Math.exp(x), error: isKnown ? crossing.error : Infinity };
}

/** Returns the relative position of the limit between both ends, from 0 to 1, by the last step of each; 0.5 without steps. */
function nearnessOf(shown: readonly Shown[], { low, high }: { low: number; high: number }): number {
  const [below, above] = [low, high].map((load) => {
    const last = shown.findLast(({ step }) => step.load === load);
    return Math.abs((last && closenessOf(last.step)?.value) ?? farthest);
  });
  return below === undefined || above === undefined || below + above === 0 ? 0.5 : below / (below + above);
}

function lineCrossing(points: readonly Point[]): { x: number; error: number } | null {
  const weight = sumBy(points, (point) => point.weight);
  const centre = sumBy(points, (point) => point.weight * point.x) / weight;
  const level = sumBy(points, (point) => point.weight * point.y) / weight;
  const spread = sumBy(points, ({ x, weight: each }) => each * (x - centre) ** 2);
  const slope = sumBy(points, ({ x, y, weight: each }) => each * (x - centre) * y) / spread;
  if (!(slope > 0)) return null;
  const x = centre - level / slope;
  return { x, error: Math.sqrt(1 / weight + (x - centre) ** 2 / spread) / slope };
}
