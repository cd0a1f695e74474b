import { messageOf } from '../../base/errors.ts';
import { documentRedactor, redactorOf } from '../../base/redact.ts';
import { between, instant, ms, type Instant } from '../../base/time.ts';
import { systemClock } from '../../edge/clock.ts';
import { describeMachine } from '../../edge/health/describe-environment.ts';
import { probeConnection } from '../../edge/http/probe-connection.ts';
import { openSender, type Sender } from '../../edge/http/sender.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import type { FromShard } from '../../fleet/messages.ts';
import type { ShardJob } from '../../fleet/shard-job.ts';
import { dealtPlan } from '../../plan/shard.ts';
import type { Settled } from '../../plan/settle.ts';
import type { Part, UnderWay } from '../../run.ts';
import { every } from '../../schedule/stop/every.ts';
import type { StopWithInstant } from '../../schedule/stop/stop-controller.ts';
import type { ChatLoadError } from '../../base/errors.ts';
import { checkSockets } from '../run/check-sockets.ts';
import { conductRun } from '../run/conduct-run.ts';
import { watchSender } from '../run/open-generator.ts';
import { senderOptions } from '../run/perform-run.ts';
import { primeGenerator } from '../run/prime-generator.ts';
import { publishedStop } from '../run/publish-run.ts';
import { settleShard, type ShardPlace } from './settle-shard.ts';

/** What the process of a shard gives it. */
export interface ShardPorts {
  say(message: FromShard): void;
  /** Resolves with the instant to start at, on the clock of this process. */
  start: Promise<Instant>;
  drain: AbortSignal;
  halt: AbortSignal;
  cut: AbortSignal;
  /** Watches code of the scenario that no session awaits. */
  strayFailed(scenario: string): Promise<ChatLoadError>;
}

/** Plays one shard of a run: gets ready, says so, begins at the appointed instant, and says what happens. Never rejects. */
export async function playShard(job: ShardJob, place: ShardPlace, ports: ShardPorts): Promise<void> {
  let settled: Settled;
  let sender: Sender;
  try {
    settled = await settleShard(job, place);
    const dealt = { ...settled, plan: dealtPlan(settled.plan, job.shard) };
    for (const warning of await checkSockets(dealt)) ports.say({ kind: 'warning', warning });
    await probeConnection(senderOptions(new URL(job.baseUrl), settled));
    await primeGenerator();
    sender = openSender(senderOptions(new URL(job.baseUrl), settled));
  } catch (thrown) {
    return ports.say(refusal(thrown));
  }
  ports.say({ kind: 'ready', worker: { ...describeMachine(), pid: process.pid, toolVersion } });
  try {
    await playFrom(await ports.start, { job, settled, sender }, ports);
  } catch (thrown) {
    ports.say({ kind: 'failed', message: redactorOf(settled.apiKey)(messageOf(thrown)) });
  }
}

async function playFrom(
  startedAt: Instant,
  { job, settled, sender }: { job: ShardJob; settled: Settled; sender: Sender },
  { say, drain, halt, cut, strayFailed }: ShardPorts,
): Promise<void> {
  const { apiKey, plan } = settled;
  const redact = documentRedactor(apiKey);
  const generator = watchSender(sender);
  say({ kind: 'started', lateMs: between(startedAt, systemClock.now()) });
  let pieces = 0;
  let stopPulse = (): void => undefined;
  const pulse = ({ live, droughts }: UnderWay, now: Instant): void =>
    say({ kind: 'pulse', live: live(now), droughts: redact(droughts()) });
  const part: Part = {
    shard: job.shard,
    startedAt,
    halt,
    leaveUnfit: (found) => say({ kind: 'unfit', ...redact(found) }),
    stopping: (stop) => tellStop(stop, apiKey, say),
  };
  const { elapsedMs } = await conductRun(settled, {
    sender: generator.sender,
    clock: systemClock,
    stops: { drain, cut },
    part,
    strayFailed: strayFailed(plan.name),
    warn: (warning) => say({ kind: 'warning', warning: redact(warning) }),
    journal: {
      // Its totals are its interval once more.
      add: (piece) =>
        say({ kind: 'piece', number: ++pieces, piece: { ...piece, totals: [] }, ...generator.accountNow() }),
      failed: new Promise(() => undefined),
    },
    watch: (underWay) => {
      stopPulse = every(ms(1000), { clock: systemClock, start: startedAt }, (now) => pulse(underWay, now));
    },
  });
  stopPulse();
  const { account } = await generator.end();
  say({ kind: 'ended', pieces, elapsedMs, ...account });
}

/** What the coordinator has asked for itself is no news to it. */
function tellStop(stop: StopWithInstant, apiKey: string, say: ShardPorts['say']): void {
  const published = publishedStop(stop, apiKey);
  if (published === null || stop.kind === 'signal') return;
  say({ kind: 'stopping', stop: published, of: stop.kind === 'cap' ? stop.of : null });
}

function refusal(thrown: unknown): FromShard {
  const { code, hint } = (thrown ?? {}) as Partial<ChatLoadError>;
  return {
    kind: 'refused',
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
