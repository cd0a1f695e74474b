import { formatNumber, formatShare } from '../../base/format.ts';
import type { OfferedLoad, Segment } from './offered-load.ts';
import { degradedIf, spreadOut, type Evidence, type ValidityRule } from './rule.ts';

/** Share of the requested concurrency below which the load did not take place as requested. */
const minReached = 0.9;

/** Compares live sessions with the requested concurrency while sessions remained to be started. Think time counts as live. */
export const concurrencyRule: ValidityRule = {
  code: 'concurrency_not_reached',
  remedy: remedyFor,
  find: ({ offered, environment }) => {
    // Lost shards have a reason of their own.
    if (environment?.workers?.some(({ lost }) => lost !== null) === true) return undefined;
    const { live, requested } = offered === undefined ? { live: 0, requested: 0 } : meansOf(offered);
    return degradedIf(
      requested > 0 && live < minReached * requested,
      `the requested load did not take place as asked: ${formatNumber(live)} sessions were live on average, of ${formatNumber(requested)} requested (${formatShare(live / requested)}), while sessions remained to be started`,
    );
  },
};

/** Returns the mean live and requested sessions, in whole measured intervals before the one in which the last session started. */
function meansOf({ load, intervals }: OfferedLoad): { live: number; requested: number } {
  const segments = load.model === 'closed' ? (load.segments ?? []) : [];
  const lastStartMs = intervals.findLast(({ sessions }) => sessions.started > 0)?.startMs ?? 0;
  const judged = intervals.filter(({ warmUp, startMs }) => !warmUp && startMs < lastStartMs);
  const totalMs = judged.reduce((sum, { lengthMs }) => sum + lengthMs, 0);
  if (totalMs === 0) return { live: 0, requested: 0 };
  const live = judged.reduce((sum, { concurrency, lengthMs }) => sum + (concurrency?.sessions.mean ?? 0) * lengthMs, 0);
  const requested = judged.reduce((sum, each) => sum + requestedIn(segments, each), 0);
  return { live: live / totalMs, requested: requested / totalMs };
}

/** Returns the requested concurrency of an interval times its length. */
function requestedIn(
  segments: readonly Segment[],
  { startMs, lengthMs }: { startMs: number; lengthMs: number },
): number {
  return segments.reduce((sum, segment) => {
    const endMs = segment.endMs ?? Infinity;
    const [fromMs, toMs] = [Math.max(startMs, segment.startMs), Math.min(startMs + lengthMs, endMs)];
    if (toMs <= fromMs) return sum;
    const levelAt = (ms: number): number =>
      endMs === Infinity || endMs === segment.startMs
        ? segment.to
        : segment.from + ((segment.to - segment.from) * (ms - segment.startMs)) / (endMs - segment.startMs);
    return sum + levelAt((fromMs + toMs) / 2) * (toMs - fromMs);
  }, 0);
}

function remedyFor(evidence: Evidence): string {
  const { books, environment, plannedSessions } = evidence;
  const shards = environment?.workers?.length ?? 1;
  if (books.sessions.create_failed > 0)
    return 'Find out why sessions cannot be created: after failures, the next ones are started more slowly.';
  if (shards > 1 && plannedSessions != null)
    return `Sessions are dealt evenly over ${String(shards)} shards, so a shard with more slots runs out of sessions first: use a concurrency that is a multiple of ${String(shards)}, a duration instead of a number of sessions, or fewer shards.`;
  return `${spreadOut(evidence)}, or treat the run as one at the concurrency it reached.`;
}
