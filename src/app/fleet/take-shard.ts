import { isShallow } from '../../base/json.ts';
import { hostname } from 'node:os';
import { later, ms, type Clock } from '../../base/time.ts';
import type { NamedScenarios } from '../../edge/disk/scenario/name-scenarios.ts';
import type { WorkerSide } from '../../edge/fleet/redis/open-worker-side.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import { shardJobSchema, type ShardJob } from '../../fleet/messages.ts';
import type { ShardLine } from '../../fleet/shards.ts';
import { judgeJob, type Refusal } from './judge-job.ts';
import { relayShard, type ShardEnd, type ShardSurroundings } from './relay-shard.ts';

/** What every shard of a worker is played with. */
export type WorkerSurroundings = Omit<ShardSurroundings, 'line'> & { side: WorkerSide; scenarios: NamedScenarios };

/** Plays the shard that a job asks for, or refuses it and says so to its coordinator. Never rejects. */
export async function takeShard(asked: unknown, around: WorkerSurroundings): Promise<ShardEnd> {
  const job = isShallow(asked) ? shardJobSchema.safeParse(asked).data : undefined;
  if (job === undefined) return refuseUnread(asked, around);
  const note = (text: string): void => around.note(`${nameOf(job)}: ${text}`);
  note(`took it (${job.scenario})`);
  const refusal = await refusalOf(job, around);
  const line = around.side.lineOf(job);
  if (refusal === undefined) return relayShard(job, { ...around, line, note });
  note(`refused: ${refusal.message}. ${refusal.hint}`);
  await sayRefusal(line, refusal, around.clock);
  return 'refused';
}

/** Says so to the coordinator if the job tells at least who that is. */
async function refuseUnread(asked: unknown, { side, note, clock }: WorkerSurroundings): Promise<ShardEnd> {
  const sender = senderSchema.safeParse(asked).data;
  note(`${sender === undefined ? 'Job' : nameOf(sender)}: refused: ${unread.message}. ${unread.hint}`);
  if (sender !== undefined) await sayRefusal(side.lineOf(sender), unread, clock);
  return 'refused';
}

const senderSchema = shardJobSchema.pick({ run: true, shard: true });

const unread: Refusal = {
  code: 'usage',
  message: `the job is no shard of a run that chat-load ${toolVersion} can read`,
  hint: 'Install the same version of chat-load everywhere.',
};

const nameOf = ({ shard, run }: Pick<ShardJob, 'run' | 'shard'>): string =>
  `Shard ${String(shard.index)} (of ${String(shard.count)}) of run ${run}`;

async function refusalOf(job: ShardJob, { side, stops, scenarios }: WorkerSurroundings): Promise<Refusal | undefined> {
  if (stops.drain.aborted)
    return {
      code: 'environment',
      message: 'this worker is stopping',
      hint: 'Start the run again when its workers are up.',
    };
  // Without an answer the coordinator may as well be dead.
  const silenceMs = await side.silenceOf(job.run).catch(() => undefined);
  return judgeJob(job, { toolVersion, nodeMajor: Number.parseInt(process.versions.node), scenarios }, silenceMs);
}

/** Waits until the coordinator has read it, if there is one. */
function sayRefusal(line: ShardLine, refusal: Refusal, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      line.close();
      resolve();
    };
    const cancel = clock.wakeAt(later(clock.now(), mostForRefusal), end);
    const nothing = (): void => undefined;
    line.listen({ heartbeat: () => line.isRead() && end(), told: nothing, abandoned: end, closed: end });
    line.say({ kind: 'refused', host: hostname(), ...refusal });
  });
}

const mostForRefusal = ms(2000);
