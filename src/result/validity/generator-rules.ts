import { countOf, formatMs, formatShare } from '../../base/format.ts';
import type { GeneratorHealth } from '../sections/generator-health.ts';
import { degradedIf, graded, invalidIf, type Concern, type Evidence, type ValidityRule, spreadOut } from './rule.ts';
import { listFirst } from '../../base/format.ts';
import { shareOf } from '../../plan/shard.ts';
import { sumOf } from '../../statistics/averages.ts';
import type { Worker } from '../sections/environment.ts';

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

/** What can be wrong with the process that sends the load, or with the worst of several. */
export const generatorRules: readonly ValidityRule[] = [
  {
    code: 'event_loop_delayed',
    isOfPace: true,
    remedy: (evidence) => `Close other programs on the machine. ${spreadOut(evidence)}, or lower the rate.`,
    find: (evidence) => {
      const { value: p99, where } = worst(evidence, (health) => health.eventLoopDelayP99Ms);
      return graded(
        p99,
        { degraded: 50, invalid: 500 },
        `the event loop was up to ${formatMs(p99)} late (p99)${where}`,
      );
    },
  },
  {
    code: 'instants_late',
    isOfPace: true,
    remedy: (evidence) =>
      `${spreadOut(evidence)}, or lower the rate: firstToken and gap hold the generator's own delay.`,
    find: findLateInstants,
  },
  {
    code: 'generator_saturated',
    isOfPace: true,
    remedy: (evidence) => `${spreadOut(evidence)}, or lower the rate.`,
    find: (evidence) => {
      const { value, health, where } = worst(evidence, (each) => Math.max(each.cpuShareMax, each.eventLoopBusyMax));
      const { cpuShareMax: cpu = 0, eventLoopBusyMax: busy = 0 } = health ?? {};
      const message = `in its busiest two seconds the generator used ${formatShare(cpu)} of a processor core, its event loop ${formatShare(busy)} of the time${where}`;
      return degradedIf(value >= 0.9, message);
    },
  },
  {
    code: 'gc_pauses',
    isOfPace: true,
    remedy: (evidence) =>
      `Keep less in functions of the scenario, or give Node.js more memory. ${spreadOut(evidence)}, or lower the rate.`,
    find: (evidence) => {
      const { value, health, where } = worst(evidence, (each) =>
        Math.max(each.gcPauseMaxMs / 100, each.gcPauseShare / 0.05),
      );
      const { gcPauseMaxMs: longest = 0, gcPauseShare: share = 0 } = health ?? {};
      const message = `garbage collection paused the generator for ${formatShare(share)} of the time, for up to ${formatMs(longest)}${where}`;
      return degradedIf(value > 1, message);
    },
  },
  {
    code: 'descriptors_exhausted',
    remedy: 'Raise the limit on open files (ulimit -n), or lower the concurrency.',
    find: (evidence) => {
      const { value: times, where } = worst(evidence, (health) => health.descriptorsExhausted);
      return invalidIf(
        times > 0,
        `${countOf(times, 'connection')} could not be opened: no file descriptor was left${where}`,
      );
    },
  },
  {
    code: 'ports_exhausted',
    remedy: 'Let connections live longer, widen the range of local ports, or lower the rate of sessions.',
    find: (evidence) => {
      const { value: times, where } = worst(evidence, (health) => health.portsExhausted);
      return invalidIf(
        times > 0,
        `${countOf(times, 'connection')} could not be opened: no local port was left${where}`,
      );
    },
  },
  {
    code: 'clock_jumped',
    remedy: 'Keep the machine from being suspended or its clock from being set during a run.',
    find: (evidence) => {
      const { value: jump, where } = worst(evidence, (health) => health.clockJumpMs);
      return degradedIf(
        jump > 1000,
        `the wall clock and the monotonic clock drifted apart by ${formatMs(jump)}${where}`,
      );
    },
  },
];

/**
 * Below this mean, content came at once: reads may be half a millisecond apart where many events arrive. A reply in one
 * read has a mean of 0, and one that takes several reads, of network buffers, hardly more.
 */
const minGapMs = 0.5;

/**
 * Content is as late as the event loop that reads it. The mean gap is that of the service whatever buffers between, where
 * the median of shared reads is 0. Content that came at once has no gap to compare the delay with. Below the least, the
 * delay is that of any timer; where the event loop is said to be late in any case, that is enough.
 */
function findLateInstants(evidence: Evidence): Concern {
  const meanGapMs = evidence.latency.gap?.meanMs ?? null;
  if (meanGapMs === null || meanGapMs < minGapMs) return undefined;
  const { value: p99, where } = worst(evidence, (health) => health.eventLoopDelayP99Ms);
  const allowedMs = Math.min(10, Math.max(2, 0.2 * meanGapMs));
  const message = `the event loop was up to ${formatMs(p99)} late (p99)${where}, where content came every ${formatMs(meanGapMs)} (mean): up to ${formatMs(allowedMs)} is acceptable`;
  return degradedIf(p99 > allowedMs && p99 <= 50, message);
}

/** The health of the process that is worst by a figure, the figure, and which shard it plays; '' for a run of one process. */
function worst({ generator, environment }: Evidence, figure: (health: GeneratorHealth) => number) {
  const found = (environment?.workers ?? [])
    .flatMap(({ shard, host, generator: health }) =>
      health === null ? [] : [{ health, value: figure(health), where: ` (shard ${String(shard)} on ${host})` }],
    )
    .toSorted((a, b) => b.value - a.value)[0];
  return found ?? { health: generator, value: generator === null ? 0 : figure(generator), where: '' };
}
