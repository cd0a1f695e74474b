import { sumBy } from '../../../statistics/averages.ts';
import { formatMs, formatNumber, formatShare } from '../../../base/format.ts';
import type { Beat } from './player.ts';
import type { ObjectiveSeen, Step } from '../document/step.ts';
import type { Settling } from './steadiness.ts';

interface Context {
  beats: readonly Beat[];
  settling: Settling;
  isThrough: boolean;
  isSteady: boolean;
  isShort: boolean;
  alpha: number;
}

export function describeJudgement(
  { verdict, isSaturated, objectives }: Pick<Step, 'verdict' | 'isSaturated' | 'objectives'>,
  { beats, settling, isThrough, isSteady, isShort, alpha }: Context,
): string {
  const [first, last] = [levelOf(beats.slice(0, thirdOf(beats))), levelOf(beats.slice(-thirdOf(beats)))];
  const queue = `turns in flight went from ${formatNumber(first)} to ${formatNumber(last)}`;
  if (isSaturated) return `more turns arrived than were served: ${queue}, without more turns ending`;
  if (verdict === 'broken') {
    const broken = objectives.filter((seen) => seen.verdict === 'broken').map(describeSeen);
    return [...broken, ...(last > minGrowth * first ? [queue] : [])].join('; ');
  }
  if (verdict === 'holds') return objectives.map(describeSeen).join('; ');
  if (isShort) return 'too short to judge: too little time after its start';
  if (settling.trend !== null)
    return `not steady: latency or turns in flight are still ${settling.trend === 'rises' ? 'rising' : 'falling'}`;
  if (!isThrough) return 'the first sessions have not ended: later turns may be slower than first ones';
  const undecided = objectives.filter((seen) => seen.verdict === 'undecided' && seen.share !== null);
  const turns = sumBy(beats, (beat) => beat.turns);
  const few = undecided.filter((seen) => seen.share === 0 && turns < neededTurns(seen, alpha));
  if (few.length > 0) {
    const needed = Math.max(...few.map((seen) => neededTurns(seen, alpha)));
    const names = few.map(({ metric, condition }) => `${metric} ${condition}`).join(', ');
    return `too few turns: ${formatNumber(turns)} of at least ${formatNumber(needed)} for ${names}`;
  }
  if (!isSteady) return `too short, because the queue changes slowly: ${queue}`;
  const open = undecided.map(describeSeen);
  return open.length > 0 ? `too close to the limit to judge: ${open.join('; ')}` : 'too short to judge';
}

/** Returns the number of turns needed to show that a share is under its limit, even if none is over it. */
const neededTurns = ({ limit }: ObjectiveSeen, alpha: number): number =>
  limit > 0 && limit < 1 ? Math.ceil(Math.log(alpha) / Math.log(1 - limit)) : 0;

/** Formats an objective: `turn.p95 < 2s: 7.1 % exceeded it (95 % interval 6.2 % to 8.4 %), 5 % allowed`, `turns.failedShare < 1%: 2.1 % (95 % interval 1.5 % to 2.8 %)`. */
function describeSeen(seen: ObjectiveSeen): string {
  const { metric, condition, actual, share, low, high, limit } = seen;
  const name = `${metric} ${condition}`;
  if (share === null || low === null || high === null) return `${name}: no data`;
  const show = showOf(seen);
  // An upper limit on a count.
  if (low === high) return `${name}: ${formatNumber(share)}`;
  // For a percentile, the share of values beyond the limit.
  return actual === null
    ? `${name}: ${show(share)} exceeded it (95 % interval ${show(low)} to ${show(high)}), ${show(limit)} allowed`
    : `${name}: ${show(share)} (95 % interval ${show(low)} to ${show(high)})`;
}

function showOf({ metric, limit, actual, share }: ObjectiveSeen): (value: number) => string {
  if (metric.endsWith('.mean')) return formatMs;
  if (actual !== null && actual !== share) return (value) => formatNumber(actual - (share ?? 0) + value);
  return limit < 1 ? formatShare : formatNumber;
}

/** A queue that grows by less than this factor has not grown. */
const minGrowth = 1.2;

const thirdOf = (beats: readonly Beat[]): number => Math.max(1, Math.floor(beats.length / 3));

const levelOf = (beats: readonly Beat[]): number =>
  sumBy(beats, ({ turnsInFlight }) => turnsInFlight) / Math.max(1, beats.length);
