import { formatMs, formatNumber, formatShare } from '../../base/format.ts';
import type { Beat } from '../player.ts';
import type { ObjectiveSeen, Step } from '../document/step.ts';
import type { Settling } from './steadiness.ts';

interface Context {
  /** Those that are judged. */
  beats: readonly Beat[];
  settling: Settling;
  isThrough: boolean;
  isSteady: boolean;
  /** Whether it has fewer batches than are compared. */
  isShort: boolean;
  /** Probability of an error, on one side. */
  alpha: number;
}

/** Why a step has its verdict, in words. */
export function describeJudgement(
  { verdict, isSaturated, objectives }: Pick<Step, 'verdict' | 'isSaturated' | 'objectives'>,
  { beats, settling, isThrough, isSteady, isShort, alpha }: Context,
): string {
  const [first, last] = [levelOf(beats.slice(0, thirdOf(beats))), levelOf(beats.slice(-thirdOf(beats)))];
  const queue = `turns in flight went from ${formatNumber(first)} to ${formatNumber(last)}`;
  if (isSaturated) return `more came than was served: ${queue}, and no more turns ended for it`;
  if (verdict === 'broken') {
    const broken = objectives.filter((seen) => seen.verdict === 'broken').map(describeSeen);
    return [...broken, ...(last > minGrowth * first ? [queue] : [])].join('; ');
  }
  if (verdict === 'holds') return objectives.map(describeSeen).join('; ');
  if (isShort) return 'too short to tell: too little of it is behind its start';
  if (settling.trend !== null)
    return `it has not settled: its latency or its turns in flight still ${settling.trend === 'rises' ? 'rise' : 'fall'}`;
  if (!isThrough) return 'its first sessions are not through: later turns may be dearer than first ones';
  const undecided = objectives.filter((seen) => seen.verdict === 'undecided' && seen.share !== null);
  const turns = beats.reduce((sum, beat) => sum + beat.turns, 0);
  const few = undecided.filter((seen) => seen.share === 0 && turns < neededTurns(seen, alpha));
  if (few.length > 0) {
    const needed = Math.max(...few.map((seen) => neededTurns(seen, alpha)));
    const names = few.map(({ metric, condition }) => `${metric} ${condition}`).join(' and ');
    return `too few turns: ${formatNumber(turns)}, and ${names} needs ${formatNumber(needed)} at least`;
  }
  if (!isSteady) return `it is too short for how slowly its queue comes and goes: ${queue}`;
  const open = undecided.map(describeSeen);
  return open.length > 0 ? `too near the limit to tell: ${open.join('; ')}` : 'too short to tell';
}

/** Turns without which a share cannot be shown to be under its limit, even if none is over it. */
const neededTurns = ({ limit }: ObjectiveSeen, alpha: number): number =>
  limit > 0 && limit < 1 ? Math.ceil(Math.log(alpha) / Math.log(1 - limit)) : 0;

/** `turn.p95 < 2s: 7.1 % (6.2 % to 8.4 %) over it, 5 % may be`, `turns.failedShare < 1%: 2.1 % (1.5 % to 2.8 %)`. */
function describeSeen(seen: ObjectiveSeen): string {
  const { metric, condition, actual, share, low, high, limit } = seen;
  const name = `${metric} ${condition}`;
  if (share === null || low === null || high === null) return `${name}: nothing to judge it by`;
  const show = showOf(seen);
  // A count that must not be exceeded.
  if (low === high) return `${name}: ${formatNumber(share)}`;
  const seenText = `${name}: ${show(share)} (${show(low)} to ${show(high)})`;
  // Of a percentile, how many of them are beyond it.
  return actual === null ? `${seenText} over it, ${show(limit)} may be` : seenText;
}

function showOf({ metric, limit, actual, share }: ObjectiveSeen): (value: number) => string {
  if (metric.endsWith('.mean')) return formatMs;
  if (actual !== null && actual !== share) return (value) => formatNumber(actual - (share ?? 0) + value);
  return limit < 1 ? formatShare : formatNumber;
}

/** A queue that is longer by less than this factor has not grown. */
const minGrowth = 1.2;

const thirdOf = (beats: readonly Beat[]): number => Math.max(1, Math.floor(beats.length / 3));

const levelOf = (beats: readonly Beat[]): number =>
  beats.reduce((sum, { turnsInFlight }) => sum + turnsInFlight, 0) / Math.max(1, beats.length);
