import { messageOf, type ChatLoadError } from '../../base/errors.ts';
import { instant, type Instant } from '../../base/time.ts';
import { systemClock } from '../../edge/clock.ts';
import { describeMachine } from '../../edge/health/describe-environment.ts';
import { openSender } from '../../edge/http/open-sender.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import type { FromShard, ShardJob } from '../../fleet/messages.ts';
import { dealtPlan } from '../../plan/shard.ts';
import { checkSockets } from '../run/check-sockets.ts';
import { watchSender } from '../run/open-generator.ts';
import { senderOptions } from '../run/sender-options.ts';
import type { Warning } from '../../result/sections/warning.ts';
import { withTarget, type OpenTarget } from '../run/with-target.ts';
import { speakShard, type ShardSpeech } from './speak-shard.ts';
import { settleShard, type ShardPlace } from './settle-shard.ts';

/** What the process of a shard gives it. */
export interface ShardPorts extends ShardSpeech {
  /** Resolves with the instant to start at, on the clock of this process. */
  start: Promise<Instant>;
}

/** Plays one shard of a run: gets ready, says so, begins at the appointed instant, and says what happens. Never rejects. */
export async function playShard(job: ShardJob, place: ShardPlace, ports: ShardPorts): Promise<void> {
  const warn = (warning: Warning): void => ports.say({ kind: 'warning', warning });
  try {
    const settled = await settleShard(job, place);
    const dealt = { ...settled, plan: dealtPlan(settled.plan, job.shard) };
    (await checkSockets(dealt)).forEach(warn);
    const baseUrl = new URL(job.baseUrl);
    await withTarget(settled, { baseUrl, warn }, (target) => playReady(target, job, ports));
  } catch (thrown) {
    ports.say(refusal(thrown));
  }
}

/** Throws only before the shard is ready. */
async function playReady({ settled, baseUrl }: OpenTarget, { shard }: ShardJob, ports: ShardPorts): Promise<void> {
  const sender = openSender(senderOptions(baseUrl, settled));
  ports.say({ kind: 'ready', worker: { ...describeMachine(), pid: process.pid, toolVersion } });
  try {
    const startedAt = await ports.start;
    const generator = watchSender(sender, settled.access);
    await speakShard(startedAt, { settled, shard, generator, clock: systemClock }, ports);
  } catch (thrown) {
    ports.say({ kind: 'failed', message: settled.secrets.redact(messageOf(thrown)) });
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
