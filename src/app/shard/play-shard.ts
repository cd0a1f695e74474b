import { messageOf, type ChatLoadError } from '../../base/errors.ts';
import { instant, type Instant, between, later, ms, type Clock } from '../../base/time.ts';
import { machineOffsetMs, systemClock } from '../../edge/clock.ts';
import { describeMachine } from '../../edge/health/describe-environment.ts';
import { openSender } from '../../edge/http/open-sender.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import type { FromShard, ShardJob } from '../../fleet/messages.ts';
import type { AttemptFact } from '../../model-calls/attempt-facts.ts';
import type { AttemptFollower } from '../../model-calls/attempt-follower.ts';
import { followAttempts } from '../model/follow-attempts.ts';
import { dealtPlan, type Shard } from '../../plan/shard.ts';
import { checkSockets } from '../run/check-resolved.ts';
import { openGenerator, type LoadGenerator, senderOptions } from '../run/open-generator.ts';
import type { Warning } from '../../result/sections/warning.ts';
import { withTarget, type OpenTarget } from '../run/with-target.ts';
import { resolveShard, type ShardPlace } from './resolve-shard.ts';
import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import type { Part, UnderWay } from '../../run-context.ts';
import { every } from '../../schedule/stop/watch-run.ts';
import type { StopWithInstant } from '../../schedule/stop/stop-controller.ts';
import { conductRun } from '../run/conduct-run.ts';
import { openLoadSpans, type LoadSpans } from '../spans/open-spans.ts';
import { publishedStop } from '../run/publish-run.ts';

/** Runs one shard: prepares, reports readiness, starts at the agreed instant and reports events. Never rejects. */
export async function playShard(job: ShardJob, place: ShardPlace, ports: ShardPorts): Promise<void> {
  const warn = (warning: Warning): void => ports.send({ kind: 'warning', warning });
  try {
    const resolved = await resolveShard(job, place);
    const dealt = { ...resolved, plan: dealtPlan(resolved.plan, job.shard) };
    (await checkSockets(dealt)).forEach(warn);
    const baseUrl = new URL(job.baseUrl);
    await withTarget(resolved, { baseUrl, model: undefined, warn }, (target) => playReady(target, job, ports));
  } catch (thrown) {
    ports.send(refusal(thrown));
  }
}

/** Throws only before the shard is ready. */
async function playReady(
  { resolved, baseUrl }: OpenTarget,
  { shard, run }: ShardJob,
  ports: ShardPorts,
): Promise<void> {
  const sender = openSender(senderOptions(baseUrl, resolved));
  const spans = await openLoadSpans({ resolved, run, baseUrl, shard });
  ports.send({ kind: 'ready', worker: { ...describeMachine(), pid: process.pid, toolVersion } });
  try {
    const startedAt = await ports.start;
    const generator = openGenerator(sender, resolved.access);
    const deliver = (facts: readonly AttemptFact[]): void => ports.send({ kind: 'attempts', facts });
    const follower = followAttempts(resolved.plan, { run, deliver, isSampled: spans?.isSampled });
    await speakShard(startedAt, { resolved, shard, generator, clock: systemClock, follower, spans }, ports);
  } catch (thrown) {
    ports.send({ kind: 'failed', message: resolved.secrets.redact(messageOf(thrown)) });
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

/** Converts an instant of the machine-wide clock to the clock of this process. */
export function fromCommonClock(at: number): Instant {
  return instant(at - machineOffsetMs);
}

interface ShardPorts {
  /** Resolves with the instant to start at, on the clock of this process. */
  start: Promise<Instant>;
  send: (message: FromShard) => void;
  drain: AbortSignal;
  halt: AbortSignal;
  cut: AbortSignal;
  /** Watches code of the scenario that no session awaits. */
  strayFailed: (scenario: string) => Promise<ChatLoadError>;
}

interface Speaking {
  resolved: ResolvedScenario;
  shard: Shard;
  generator: Omit<LoadGenerator, 'sender' | 'probe'> & Pick<Parameters<typeof conductRun>[1], 'sender' | 'probe'>;
  clock: Clock;
  follower?: AttemptFollower | undefined;
  spans?: LoadSpans | undefined;
}

/** Runs a ready shard from an instant on and reports all events, without secrets. */
export async function speakShard(
  startedAt: Instant,
  { resolved, shard, generator, clock, follower, spans }: Speaking,
  { send, drain, halt, cut, strayFailed }: Omit<ShardPorts, 'start'>,
): Promise<void> {
  const { secrets, plan } = resolved;
  const redact = <Json>(document: Json): Json => secrets.redactDocument(document);
  send({ kind: 'started', lateMs: between(startedAt, clock.now()) });
  let pieces = 0;
  let stopPulse = (): void => undefined;
  const pulse = ({ live, droughts }: UnderWay, now: Instant): void =>
    send({ kind: 'pulse', live: live(now), droughts: redact(droughts()) });
  const part: Part = {
    shard,
    startedAt,
    leaveUnfit: (found) => send({ kind: 'unfit', ...redact(found) }),
    // The coordinator knows the stops that it requested.
    stopping: (stop) => {
      const published = publishedStop(stop, resolved);
      if (published === null || stop.kind === 'signal') return;
      send({ kind: 'stopping', stop: published, of: stop.kind === 'cap' ? stop.of : null });
    },
  };
  const { elapsedMs, stop } = await conductRun(resolved, {
    sender: generator.sender,
    probe: generator.probe,
    clock,
    follower,
    spans,
    stops: { drain, cut },
    halt,
    part,
    strayFailed: strayFailed(plan.name),
    warn: (warning) => send({ kind: 'warning', warning: redact(warning) }),
    journal: {
      // Totals repeat the interval.
      add: (piece) =>
        send({ kind: 'piece', number: ++pieces, piece: { ...piece, totals: [] }, ...generator.accountNow() }),
      failed: new Promise(() => undefined),
    },
    watch: (underWay) => {
      // Halfway between the intervals, so that the shard reports twice per second.
      stopPulse = every(ms(1000), { clock, start: later(startedAt, ms(500)) }, (now) => pulse(underWay, now));
    },
  });
  stopPulse();
  const { account } = await generator.end();
  send({ kind: 'ended', pieces, elapsedMs, early: earlyEnd(stop), ...account });
}

/** Origin of stop requests from the coordinator. */
export const byCoordinator = 'the coordinator';

const earlyEnd = (stop: StopWithInstant | undefined): string | null =>
  stop?.kind === 'signal' && stop.name !== byCoordinator ? `it was stopped by ${stop.name ?? 'a signal'}` : null;
