import { countOf, formatMs, formatShare } from '../../base/format.ts';
import { listFirst } from '../../base/list-first.ts';
import { shareOf } from '../../plan/shard.ts';
import { sumOf } from '../../statistics/averages.ts';
import type { Worker } from '../sections/environment.ts';
import { degradedIf, graded, invalidIf, type Concern } from './rule.ts';
import type { Evidence, ValidityRule } from './rule.ts';

/** What can be wrong with a run over several cores or machines. */
export const shardRules: readonly ValidityRule[] = [
  {
    code: 'shards_lost',
    remedy:
      'Run again: what a lost shard had under way is in no figure. If it is lost again, look for what ended it on its machine (memory, another program), and use fewer shards a machine (--cores, --shards).',
    find: findLost,
  },
  {
    code: 'start_skewed',
    remedy:
      'Use no more shards a machine than it has cores (--cores, --shards), close other programs, and start the workers near their Redis.',
    find: ({ environment }) => {
      const skewMs = environment?.startSkewMs ?? 0;
      return graded(
        skewMs,
        { degraded: 100, invalid: 1000 },
        `the last shard began ${formatMs(skewMs)} after the first`,
      );
    },
  },
];

const mostNamed = 3;

function findLost(evidence: Evidence): Concern {
  const workers = evidence.environment?.workers ?? [];
  const lost = workers.filter((each) => each.lost !== null);
  if (lost.length === 0) return undefined;
  const share = lostShare(evidence, workers);
  const named = listFirst(lost.map(nameOf), mostNamed);
  const message = `${countOf(lost.length, 'shard')} of ${String(workers.length)} ${lost.length === 1 ? 'was' : 'were'} lost, with ${formatShare(share)} of the load: ${named}`;
  return invalidIf(share > 0.1, message) ?? degradedIf(true, message);
}

const nameOf = ({ shard, host, lost }: Worker): string =>
  `shard ${String(shard)} on ${host}, ${lost === null ? '' : `last heard of after ${formatMs(lost.atMs)} (${lost.reason})`}`;

/**
 * The part of the load that was lost: of the sessions if the plan states their number and the sessions that the lost
 * shards started are known, else of the time of all shards.
 */
function lostShare({ plannedSessions = null, elapsedMs, books }: Evidence, workers: readonly Worker[]): number {
  const lost = workers.flatMap((each) => (each.lost === null ? [] : [{ ...each, atMs: each.lost.atMs }]));
  const parts = lost.flatMap(({ shard, sessionsStarted: started }) => (started === null ? [] : [{ shard, started }]));
  if (plannedSessions !== null && parts.length === lost.length) {
    const startedByLost = sumOf(parts.map(({ started }) => started));
    return lostSessions(parts, {
      underWay: books.sessions.lost,
      planned: plannedSessions,
      shards: workers.length,
      startedByOthers: startedByOthers(workers) ?? books.sessions.started - startedByLost,
    });
  }
  const missingMs = sumOf(lost.map(({ atMs }) => Math.max(0, elapsedMs - atMs)));
  return elapsedMs === 0 ? 1 : missingMs / (workers.length * elapsedMs);
}

/** `undefined`: not known, since the run died. */
function startedByOthers(workers: readonly Worker[]): number | undefined {
  const started = workers.flatMap(({ lost, sessionsStarted }) => (lost === null ? [sessionsStarted] : []));
  const known = started.filter((count) => count !== null);
  return known.length === started.length ? sumOf(known) : undefined;
}

interface LostPart {
  shard: number;
  started: number;
}

interface AroundLost {
  /** Sessions that were under way in lost shards. */
  underWay: number;
  planned: number;
  shards: number;
  startedByOthers: number;
}

/**
 * Sessions that were under way in lost shards, and those that they would have started yet, over all. Shards that were
 * not lost started a part of their sessions, all of them unless the run was ended early: others would have, too.
 */
function lostSessions(lost: readonly LostPart[], { underWay, planned, shards, startedByOthers }: AroundLost): number {
  const dealt = ({ shard }: LostPart): number => shareOf(planned, { index: shard, count: shards });
  const dealtToOthers = planned - sumOf(lost.map(dealt));
  const part = lost.length === shards ? 1 : startedByOthers / Math.max(1, dealtToOthers);
  const missing = lost.map((each) => Math.max(0, dealt(each) * part - each.started));
  return Math.min(1, (underWay + sumOf(missing)) / Math.max(1, planned * part));
}
