import { messageOf, type ChatLoadError } from '../../base/errors.ts';
import { instant, type Instant } from '../../base/time.ts';
import { systemClock } from '../../edge/clock.ts';
import { describeMachine } from '../../edge/health/describe-environment.ts';
import { openSender, type Sender } from '../../edge/http/open-sender.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import type { FromShard } from '../../fleet/messages.ts';
import type { ShardJob } from '../../fleet/shard-job.ts';
import { dealtPlan } from '../../plan/shard.ts';
import type { Settled } from '../../plan/settle.ts';
import { checkSockets } from '../run/check-sockets.ts';
import { watchSender } from '../run/open-generator.ts';
import { openAccess } from '../run/open-access.ts';
import { senderOptions } from '../run/sender-options.ts';
import { reachTarget } from '../run/reach-target.ts';
import { primeGenerator } from '../run/prime-generator.ts';
import { speakShard, type ShardSpeech } from './speak-shard.ts';
import { settleShard, type ShardPlace } from './settle-shard.ts';

/** What the process of a shard gives it. */
export interface ShardPorts extends ShardSpeech {
  /** Resolves with the instant to start at, on the clock of this process. */
  start: Promise<Instant>;
}

/** Plays one shard of a run: gets ready, says so, begins at the appointed instant, and says what happens. Never rejects. */
export async function playShard(job: ShardJob, place: ShardPlace, ports: ShardPorts): Promise<void> {
  let settled: Settled;
  let sender: Sender;
  try {
    settled = await settleShard(job, place);
    const dealt = { ...settled, plan: dealtPlan(settled.plan, job.shard) };
    for (const warning of await checkSockets(dealt)) ports.say({ kind: 'warning', warning });
    const { reached, notes } = await reachTarget(settled, senderOptions(new URL(job.baseUrl), settled));
    for (const warning of notes) ports.say({ kind: 'warning', warning });
    settled = await openAccess(reached);
    await primeGenerator();
    sender = openSender(senderOptions(new URL(job.baseUrl), settled));
  } catch (thrown) {
    return ports.say(refusal(thrown));
  }
  ports.say({ kind: 'ready', worker: { ...describeMachine(), pid: process.pid, toolVersion } });
  try {
    const startedAt = await ports.start;
    const generator = watchSender(sender, settled.access);
    await speakShard(startedAt, { settled, shard: job.shard, generator, clock: systemClock }, ports);
  } catch (thrown) {
    ports.say({ kind: 'failed', message: settled.secrets.redact(messageOf(thrown)) });
  } finally {
    settled.access?.close();
  }
}

function refusal(thrown: unknown): FromShard {
  const { code, hint } = (thrown ?? {}) as Partial<ChatLoadError>;
  return {
    kind: 'refused',
    host: describeMachine().host,
    code: code === 'usage' ? 'usage' : 'environment',
    message: messageOf(thrown),
    hint: hint ?? 'Nothing was sent.',
  };
}

/** An instant on the clock that all processes of this machine share, as one of this process. */
export function fromCommonClock(at: number): Instant {
  const now = Number(process.hrtime.bigint()) / 1e6;
  return instant(systemClock.now() + (at - now));
}
