import type { ChatLoadError } from '../../base/errors.ts';
import type { Secrets } from '../../base/secrets.ts';
import { between, later, ms, type Clock, type Instant } from '../../base/time.ts';
import type { FromShard } from '../../fleet/messages.ts';
import type { Settled } from '../../plan/settle.ts';
import type { Shard } from '../../plan/shard.ts';
import type { Part, UnderWay } from '../../run-effects.ts';
import { every } from '../../schedule/stop/every.ts';
import type { StopWithInstant } from '../../schedule/stop/stop-controller.ts';
import { conductRun } from '../run/conduct-run.ts';
import type { LoadGenerator } from '../run/open-generator.ts';
import { publishedStop } from '../run/publish-run.ts';

/** How a shard is told, and tells. */
export interface ShardSpeech {
  say: (message: FromShard) => void;
  drain: AbortSignal;
  halt: AbortSignal;
  cut: AbortSignal;
  /** Watches code of the scenario that no session awaits. */
  strayFailed: (scenario: string) => Promise<ChatLoadError>;
}

interface Speaking {
  settled: Settled;
  shard: Shard;
  generator: Pick<LoadGenerator, 'accountNow' | 'end'> & {
    sender: Pick<LoadGenerator['sender'], 'send' | 'cut'> & Partial<Pick<LoadGenerator['sender'], 'authorize'>>;
  };
  clock: Clock;
}

/** Plays a shard that is ready from an instant on, and says everything that happens to it. Without the key. */
export async function speakShard(
  startedAt: Instant,
  { settled, shard, generator, clock }: Speaking,
  { say, drain, halt, cut, strayFailed }: ShardSpeech,
): Promise<void> {
  const { secrets, plan } = settled;
  const redact = <Json>(document: Json): Json => secrets.redactDocument(document);
  say({ kind: 'started', lateMs: between(startedAt, clock.now()) });
  let pieces = 0;
  let stopPulse = (): void => undefined;
  const pulse = ({ live, droughts }: UnderWay, now: Instant): void =>
    say({ kind: 'pulse', live: live(now), droughts: redact(droughts()) });
  const part: Part = {
    shard,
    startedAt,
    leaveUnfit: (found) => say({ kind: 'unfit', ...redact(found) }),
    stopping: (stop) => tellStop(stop, secrets, say),
  };
  const { elapsedMs, stop } = await conductRun(settled, {
    sender: generator.sender,
    clock,
    stops: { drain, cut },
    halt,
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
      // Halfway between the intervals, so that something is heard of it twice a second.
      stopPulse = every(ms(1000), { clock, start: later(startedAt, ms(500)) }, (now) => pulse(underWay, now));
    },
  });
  stopPulse();
  const { account } = await generator.end();
  say({ kind: 'ended', pieces, elapsedMs, early: earlyEnd(stop), ...account });
}

/** Who asks a shard to stop, in its place, when the coordinator does. */
export const byCoordinator = 'the coordinator';

const earlyEnd = (stop: StopWithInstant | undefined): string | null =>
  stop?.kind === 'signal' && stop.name !== byCoordinator ? `it was stopped by ${stop.name ?? 'a signal'}` : null;

/** What the coordinator has asked for itself is no news to it. */
function tellStop(stop: StopWithInstant, secrets: Secrets, say: ShardSpeech['say']): void {
  const published = publishedStop(stop, secrets);
  if (published === null || stop.kind === 'signal') return;
  say({ kind: 'stopping', stop: published, of: stop.kind === 'cap' ? stop.of : null });
}
