import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '../finding.ts';
import { median } from '../markdown.ts';
import { ownUsageOf } from '../process-tree.ts';
import { followJournal, type SeenInterval } from './follow-journal.ts';
import { peakFlags, peakScenario } from './peak-fleet.ts';
import { playReplays } from './play-replays.ts';
import { machineNow, recordShards, type Recording } from './record-shards.ts';
import { withRedis, type RedisServer } from './redis.ts';
import { resultIn, runWords, startCommand } from './start-command.ts';

interface ManyWorkers {
  folder: string;
  workers: number;
  report: (text: string) => void;
}

/** Number of shards that actually run; each worker repeats the messages of one of these shards. */
const recorded = 10;
const lookMs = 500;
/** Judged part of the load, after warm-up and ramp-up, in milliseconds since the start. */
const [fromMs, untilMs] = [5000, 25_000];

/**
 * Measures the cost of merging snapshots and their age when merged: one real coordinator, a real Redis, and many workers
 * that publish the snapshots of the peak scenario.
 */
export async function measureManyWorkers({ folder, workers, report }: ManyWorkers): Promise<Finding[]> {
  report(`recording ${String(recorded)} of ${String(workers)} shards`);
  const recordings = await recordShards(recorded, workers);
  const file = join(folder, 'recordings.json');
  writeFileSync(file, JSON.stringify(recordings));
  return withRedis(folder, async (redis) => {
    const out = mkdtempSync(join(folder, 'many-'));
    const replays = await playReplays({ url: redis.url, prefix: 'bench', recordings: file, workers });
    try {
      report(`${String(workers)} workers replay`);
      const seen = await coordinate({ redis, out, workers });
      const { at, receivedAt } = replays.start();
      const missing = okTurnsOf(recordings, workers) - resultIn(out).outcomes.turns.ok;
      const named = `${workers.toLocaleString('en')} workers`;
      return [
        {
          what: `${named}: reported ok turns that are missing from the result`,
          value: missing,
          atMost: 0,
          atLeast: 0,
        },
        ...costs(seen.looks.filter(isJudged(at))).map((each) => ({ ...each, what: `${named}: ${each.what}` })),
        ...ages(seen.intervals, at).map((each) => ({ ...each, what: `${named}: ${each.what}` })),
        {
          what: `${named}: time between the last worker's notice of the start and the start`,
          value: at - receivedAt,
          unit: 'ms',
          atLeast: 0,
        },
      ];
    } finally {
      await replays.end();
    }
  });
}

/** CPU time used so far as reported by the system, and Redis's own statistics. */
interface Look {
  at: number;
  coordinatorCpuMs: number;
  coordinatorPeakBytes: number;
  redisCpuMs: number;
  redisBytes: number;
  inBytes: number;
  outBytes: number;
  commands: number;
}

const isJudged =
  (startedAt: number) =>
  ({ at }: Look): boolean =>
    at >= startedAt + fromMs && at <= startedAt + untilMs;

/** Base URL of the load; nothing listens there, and nothing is sent. */
const nowhere = 'http://127.0.0.1:9';

async function coordinate({
  redis,
  out,
  workers,
}: {
  redis: RedisServer;
  out: string;
  workers: number;
}): Promise<{ looks: Look[]; intervals: SeenInterval[] }> {
  const endJournal = followJournal(out);
  const flags = Object.entries(peakFlags(workers)).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const fleet = ['--fleet', redis.url, '--prefix', 'bench', '--shards', String(workers), '--agent-id', 'bench'];
  const words = [...runWords(peakScenario, { out, baseUrl: nowhere }), ...fleet, ...flags];
  const command = startCommand(words, { isPinned: true });
  const looks: Look[] = [];
  const timer = setInterval(() => {
    void lookAt(command.pid, redis).then((look) => look && looks.push(look));
  }, lookMs);
  try {
    await command.ended;
    return { looks, intervals: endJournal() };
  } finally {
    clearInterval(timer);
    command.kill();
    endJournal();
  }
}

async function lookAt(pid: number, { look, pid: redisPid }: RedisServer): Promise<Look | undefined> {
  const info = await look.info();
  const figure = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1]);
  const [coordinator, redis] = [ownUsageOf(pid), ownUsageOf(redisPid)];
  if (coordinator === undefined || redis === undefined) return undefined;
  return {
    at: machineNow(),
    coordinatorCpuMs: coordinator.cpuMs,
    coordinatorPeakBytes: coordinator.peakBytes,
    redisCpuMs: redis.cpuMs,
    redisBytes: redis.peakBytes,
    inBytes: figure('total_net_input_bytes'),
    outBytes: figure('total_net_output_bytes'),
    commands: figure('total_commands_processed'),
  };
}

const MB = 1e6;

function costs(looks: readonly Look[]): Finding[] {
  const [first, last] = [looks[0], looks.at(-1)];
  if (first === undefined || last === undefined || first === last) throw new Error('the run was too short');
  const perSecond = (key: keyof Look): number => ((last[key] - first[key]) / (last.at - first.at)) * 1000;
  return [
    { what: 'the coordinator, share of a core', value: perSecond('coordinatorCpuMs') / 1000, atMost: 1 },
    { what: 'the coordinator, resident memory', value: last.coordinatorPeakBytes / MB, unit: 'MB', atMost: 500 },
    { what: 'Redis, share of a core', value: perSecond('redisCpuMs') / 1000 },
    { what: 'Redis, resident', value: last.redisBytes / MB, unit: 'MB' },
    { what: 'data into Redis per second', value: perSecond('inBytes') / MB, unit: 'MB' },
    { what: 'data out of Redis per second', value: perSecond('outBytes') / MB, unit: 'MB' },
    { what: 'commands to Redis per second', value: Math.round(perSecond('commands')) },
  ];
}

/** Returns the time from the end of an interval to its first merged entry in the journal. */
function ages(intervals: readonly SeenInterval[], startedAt: number): Finding[] {
  const firstAt = new Map<number, number>();
  for (const { entry, at } of intervals)
    if (!firstAt.has(entry.piece.elapsedMs)) firstAt.set(entry.piece.elapsedMs, at);
  const all = [...firstAt].map(([elapsedMs, at]) => (at - startedAt - elapsedMs) / 1000).toSorted((a, b) => a - b);
  const parts = intervals.length - firstAt.size;
  return [
    { what: 'age of a merged interval, median', value: median(all), unit: 's' },
    { what: 'age of a merged interval, maximum', value: all.at(-1) ?? NaN, unit: 's', atMost: 2 },
    { what: 'intervals', value: firstAt.size },
    { what: 'intervals closed before their last snapshot arrived', value: parts },
  ];
}

/** Returns the number of ok turns that the shards reported. */
function okTurnsOf(recordings: readonly Recording[], workers: number): number {
  const each = recordings.map(({ messages: said }) =>
    said.flatMap(({ message }) => (message.kind === 'piece' ? message.piece.intervals : [])),
  );
  const ok = each.map((intervals) => intervals.reduce((sum, { counters }) => sum + (counters.turns?.['ok'] ?? 0), 0));
  return Array.from({ length: workers }, (_, index) => ok[index % ok.length] ?? 0).reduce((sum, of) => sum + of, 0);
}
