import { isShallow } from '../../base/json.ts';
import { hostname } from 'node:os';
import { later, ms, type Clock } from '../../base/time.ts';
import type { NamedScenarios } from '../../edge/disk/scenario/name-scenarios.ts';
import type { WorkerSide } from '../../edge/fleet/redis/open-worker-side.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import { shardJobSchema, type ShardJob } from '../../fleet/messages.ts';
import type { ShardLine } from '../../fleet/shards.ts';
import { relayShard, type ShardEnd, type ShardSurroundings } from './relay-shard.ts';
import { posix } from 'node:path';
import type { ErrorCode } from '../../base/errors.ts';
import { shellWord } from '../../base/format.ts';
import { shortDigest } from '../../edge/disk/scenario/load-scenario.ts';

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
    const cancel = clock.wakeAt(later(clock.now(), maxForRefusal), end);
    const nothing = (): void => undefined;
    line.listen({ heartbeat: () => line.isRead() && end(), told: nothing, abandoned: end, closed: end });
    line.say({ kind: 'refused', host: hostname(), ...refusal });
  });
}

const maxForRefusal = ms(2000);

/** What a worker has, as far as a shard depends on it. */
export interface WorkerTraits {
  toolVersion: string;
  nodeMajor: number;
  scenarios: NamedScenarios;
}

/** Why a worker does not play a shard. Nothing was sent. */
interface Refusal {
  code: Exclude<ErrorCode, 'not_comparable'>;
  message: string;
  hint: string;
}

/** A coordinator that was not heard of for so long is dead, or was there long ago. */
const latestMs = 5000;

/** Whether a worker can play a shard; `undefined`: it can. The rest is judged where the scenario is loaded. */
export function judgeJob(
  job: ShardJob,
  { toolVersion, nodeMajor, scenarios }: WorkerTraits,
  silenceMs: number | undefined,
): Refusal | undefined {
  if (silenceMs === undefined || silenceMs > latestMs) return lateRefusal(silenceMs);
  if (job.toolVersion !== toolVersion)
    return usage(
      `this worker has chat-load ${toolVersion}, the coordinator ${job.toolVersion}`,
      'Install the same version on both.',
    );
  if (job.nodeMajor !== nodeMajor)
    return usage(
      `this worker runs on Node.js ${String(nodeMajor)}, the coordinator on ${String(job.nodeMajor)}`,
      'Use the same major version on both.',
    );
  return judgeScenario(job, scenarios);
}

function lateRefusal(silenceMs: number | undefined): Refusal {
  const heard = silenceMs === undefined ? 'is gone' : `was last heard of ${(silenceMs / 1000).toFixed(0)} s ago`;
  return {
    code: 'environment',
    message: `this shard comes too late: the coordinator of its run ${heard}`,
    hint: 'Start the run again, with as many workers waiting as it has shards.',
  };
}

/** By the text of the path alone: a job learns nothing of other files. */
function judgeScenario(
  { scenario, scenarioDigest }: Pick<ShardJob, 'scenario' | 'scenarioDigest'>,
  scenarios: NamedScenarios,
): Refusal | undefined {
  const own = scenarios.get(posix.normalize(scenario));
  if (own === undefined)
    return usage(
      `the scenario ${scenario} is not among those that the command line of this worker names`,
      `Start the worker with it, if it may be executed there: chat-load worker ${shellWord(scenario)}`,
    );
  if (own === scenarioDigest) return undefined;
  return usage(
    `the file ${scenario} of this worker is another one (${shortDigest(own)}) than where the run was started (${shortDigest(scenarioDigest)})`,
    'Check out the same commit everywhere, and restart the worker: it takes its files when it starts.',
  );
}

const usage = (message: string, hint: string): Refusal => ({ code: 'usage', message, hint });
