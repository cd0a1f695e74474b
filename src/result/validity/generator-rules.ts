import { countOf, formatMs, formatShare, listFirst } from '../../base/format.ts';
import type { GeneratorHealth } from '../sections/generator-health.ts';
import { degradedIf, graded, invalidIf, type Concern, type Evidence, type ValidityRule, relieve } from './rule.ts';
import { shareOf } from '../../plan/shard.ts';
import { sumOf } from '../../statistics/averages.ts';
import type { Worker } from '../sections/environment.ts';
import { describeDoubtful, isDoubtful } from '../percentiles/doubt.ts';

export const shardRules: readonly ValidityRule[] = [
  {
    code: 'shards_lost',
    remedy:
      'Run again: what a lost shard had in progress is counted as lost, and what it did after its last interval is in no figure. If it is lost again, look for the cause on its machine (memory, another program), and use fewer shards per machine (--cores, --shards).',
    find: findLost,
  },
  {
    code: 'start_skewed',
    remedy:
      'Use at most one shard per core (--cores, --shards), close other programs, and start the workers near their Redis.',
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

const maxListed = 3;

function findLost(evidence: Evidence): Concern {
  const workers = evidence.environment?.workers ?? [];
  const lost = workers.filter((each) => each.lost !== null);
  if (lost.length === 0) return undefined;
  const share = lostShare(evidence, workers);
  const named = listFirst(lost.map(nameOf), maxListed);
  const message = `${countOf(lost.length, 'shard')} of ${String(workers.length)} ${lost.length === 1 ? 'was' : 'were'} lost, with ${formatShare(share)} of the load: ${named}`;
  return invalidIf(share > 0.1, message) ?? degradedIf(true, message);
}

const nameOf = ({ shard, host, lost }: Worker): string =>
  `shard ${String(shard)} on ${host}, ${lost === null ? '' : lost.atMs === 0 ? `of which nothing arrived: whatever it did is lost, all its sessions at most (${lost.reason})` : `last seen after ${formatMs(lost.atMs)} (${lost.reason})`}`;

/**
 * Returns the lost part of the load: as a share of the sessions if the plan has their number and the sessions that the
 * lost shards started are known, otherwise as a share of the time of all shards.
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

/** Returns `undefined` if unknown, because the run died. */
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
  underWay: number;
  planned: number;
  shards: number;
  startedByOthers: number;
}

/**
 * Returns the share of sessions that were in progress in lost shards or that they would still have started. Other shards
 * started a part of their sessions (all unless the run ended early): the lost ones would have started the same part.
 */
function lostSessions(lost: readonly LostPart[], { underWay, planned, shards, startedByOthers }: AroundLost): number {
  const dealt = ({ shard }: LostPart): number => shareOf(planned, { index: shard, count: shards });
  const dealtToOthers = planned - sumOf(lost.map(dealt));
  const part = lost.length === shards ? 1 : startedByOthers / Math.max(1, dealtToOthers);
  const missing = lost.map((each) => Math.max(0, dealt(each) * part - each.started));
  return Math.min(1, (underWay + sumOf(missing)) / Math.max(1, planned * part));
}

export const generatorRules: readonly ValidityRule[] = [
  {
    code: 'figures_doubtful',
    isOfPace: true,
    remedy: relieve,
    find: (evidence) => findDoubts(evidence) ?? findUnmeasured(evidence),
  },
  {
    code: 'event_loop_late',
    isOfPace: true,
    remedy: relieve,
    find: (evidence) => {
      const { value: p99, where } = worst(evidence, (health) => health.eventLoopDelayP99Ms);
      return invalidIf(p99 > 500, `the event-loop delay was up to ${formatMs(p99)} (p99)${where}`);
    },
  },
  {
    code: 'event_loop_busy',
    isOfPace: true,
    remedy: relieve,
    find: (evidence) => {
      const { value, health, where } = worst(evidence, (each) => each.eventLoopBusyMax);
      const { cpuShareMax: cpu = 0 } = health ?? {};
      const message = `in its busiest two seconds the generator's event loop was busy ${formatShare(value)} of the time, with ${formatShare(cpu)} of a core${where}`;
      return degradedIf(value >= 0.98, message);
    },
  },
  {
    code: 'descriptors_exhausted',
    remedy: 'Raise the limit on open files (ulimit -n), or lower the concurrency.',
    find: (evidence) => findExhausted(evidence, 'descriptorsExhausted', 'file descriptor'),
  },
  {
    code: 'ports_exhausted',
    remedy: 'Keep connections open longer, widen the range of local ports, or lower the rate of sessions.',
    find: (evidence) => findExhausted(evidence, 'portsExhausted', 'local port'),
  },
  {
    code: 'clock_jumped',
    remedy: 'Prevent the machine from being suspended and its clock from being set during a run.',
    find: (evidence) => {
      const { value: jump, where } = worst(evidence, (health) => health.clockJumpMs);
      return degradedIf(
        jump > 1000,
        `the wall clock and the monotonic clock drifted apart by ${formatMs(jump)}${where}`,
      );
    },
  },
];

function findExhausted(evidence: Evidence, of: 'descriptorsExhausted' | 'portsExhausted', what: string): Concern {
  const { value: times, where } = worst(evidence, (health) => health[of]);
  return invalidIf(
    times > 0,
    `${countOf(times, 'connection')} could not be opened, because no ${what} was available${where}`,
  );
}

const maxNamed = 3;

/** Judges headline and gated figures by their own measurement error. */
function findDoubts(evidence: Evidence): Concern {
  const { doubtful = [] } = evidence;
  const { where } = worst(evidence, ({ readDelayP99Ms }) => readDelayP99Ms);
  const named = listFirst(doubtful.map(describeDoubtful), maxNamed);
  return degradedIf(doubtful.length > 0, `the generator read replies late${where}: ${named}`);
}

/** Judges a run that was too short to measure its error, by the delay of the event loop next to its p95. */
function findUnmeasured(evidence: Evidence): Concern {
  const { turn } = evidence.latency;
  const { value: delayMs, where } = worst(evidence, ({ eventLoopDelayP99Ms }) => eventLoopDelayP99Ms);
  if (turn === undefined || turn.errorMs !== null || turn.p95Ms === null || evidence.elapsedMs >= minMeasuredMs)
    return undefined;
  const message = `there was no time to measure the error of turn.p95 (${formatMs(turn.p95Ms)}), and the event-loop delay was up to ${formatMs(delayMs)} (p99)${where}`;
  return degradedIf(isDoubtful(turn.p95Ms, delayMs), message);
}

/** A run of this length has enough samples of the delay with which it reads. */
const minMeasuredMs = 5000;

/** Returns the worst process by a figure, with the figure and its shard; '' for a run of one process. */
function worst({ generator, environment }: Evidence, figure: (health: GeneratorHealth) => number) {
  const found = (environment?.workers ?? [])
    .flatMap(({ shard, host, generator: health }) =>
      health === null ? [] : [{ health, value: figure(health), where: ` (shard ${String(shard)} on ${host})` }],
    )
    .toSorted((a, b) => b.value - a.value)[0];
  return found ?? { health: generator, value: generator === null ? 0 : figure(generator), where: '' };
}
