import { later, ms, type Clock, type Ms } from '../../base/time.ts';
import type { ShardProcess } from '../../edge/fleet/fork-shard.ts';
import type { FromShard, ShardJob } from '../../fleet/messages.ts';
import type { OfShard, ShardLine } from '../../fleet/shards.ts';

export interface ShardSurroundings {
  line: ShardLine;
  fork: () => ShardProcess;
  clock: Clock;
  patience: Patience;
  folder: string;
  allowHosts: readonly string[];
  stops: { drain: AbortSignal; cut: AbortSignal };
  note: (text: string) => void;
}

export type ShardEnd = 'played' | 'refused' | 'failed';

/**
 * Runs a shard in a child process and relays messages between it and its coordinator. Resolves when the process has ended
 * and the coordinator has read all messages, or is gone.
 */
export function relayShard(
  job: ShardJob,
  { line, fork, clock, patience, folder, allowHosts, stops, note }: ShardSurroundings,
): Promise<ShardEnd> {
  return new Promise((resolve) => {
    const child = fork();
    let end: ShardEnd = 'failed';
    const is = { gone: false, orphaned: false, full: false };
    let cancelKill = (): void => undefined;

    const finish = (): void => {
      if (!is.gone || !(is.orphaned || line.isRead())) return;
      silence.end();
      cancelKill();
      stops.drain.removeEventListener('abort', drain);
      stops.cut.removeEventListener('abort', hurry);
      line.close();
      resolve(end);
    };
    const leave = (why: string): void => {
      if (!is.orphaned) note(why);
      is.orphaned = true;
      child.kill();
      finish();
    };
    const stop = (level: 'drain' | 'cut', by: string): void => child.send({ kind: 'stop', level, by });
    const drain = (): void => stop('drain', 'its worker');
    const cut = (): void => stop('cut', 'its worker');
    const hurry = (): void => {
      if (is.gone) leave('abandoned before its coordinator has read all messages');
      else cut();
    };
    const silence = watchSilence(clock, patience, {
      drainAfter: () => {
        if (!is.gone) note('draining: its coordinator is silent');
        stop('drain', 'the silence of its coordinator');
      },
      cutAfter: cut,
      leaveAfter: () => leave('abandoned: its coordinator was silent for too long'),
    });
    const send = (message: OfShard): void => {
      if (line.send(message)) return;
      is.full = true;
      end = 'failed';
      const reason = 'its coordinator does not read messages, and the buffer of its worker is full';
      line.send({ kind: 'failed', message: reason });
      note(`failed: ${reason}`);
      child.kill();
    };

    child.listen({
      received: (message) => {
        if (is.full) return;
        end = endAfter(message) ?? end;
        const text = textOf(message);
        if (text !== undefined) note(text);
        send(message);
      },
      gone: (reason) => {
        is.gone = true;
        if (end === 'failed' && !is.orphaned) note(`gone: ${reason}`);
        // Room is reserved for the last message.
        line.send({ kind: 'gone', reason });
        finish();
      },
    });
    line.listen({
      heartbeat: () => {
        silence.reset();
        finish();
      },
      received: (message) => child.send(message),
      abandoned: () => leave('abandoned by its coordinator'),
      closed: () => {
        is.orphaned = true;
        silence.end();
        cancelKill = clock.wakeAt(later(clock.now(), ms(2000)), () => {
          note('abandoned: it did not end with its run');
          child.kill();
        });
        finish();
      },
    });
    stops.drain.addEventListener('abort', drain);
    stops.cut.addEventListener('abort', hurry);
    child.send({ kind: 'play', job, folder, allowHosts, trustsTarget: false });
  });
}

function endAfter({ kind }: FromShard): ShardEnd | undefined {
  if (kind === 'ended') return 'played';
  return kind === 'refused' || kind === 'failed' ? kind : undefined;
}

function textOf(message: FromShard): string | undefined {
  switch (message.kind) {
    case 'ready':
    case 'started':
    case 'ended':
      return message.kind;
    case 'refused':
      return `refused: ${message.message}. ${message.hint}`;
    case 'stopping':
      return `stopping: ${message.stop.reason}`;
    case 'failed':
      return `failed: ${message.message}`;
    default:
      return undefined;
  }
}

/** Delays without a heartbeat of the coordinator after which a worker acts. */
type Patience = Record<'drainAfter' | 'cutAfter' | 'leaveAfter', Ms>;

export const patience: Patience = { drainAfter: ms(10_000), cutAfter: ms(20_000), leaveAfter: ms(30_000) };

/** Watches the heartbeats of a coordinator, so that an unattended load stops. */
function watchSilence(clock: Clock, limits: Patience, actions: Record<keyof Patience, () => void>) {
  let cancels: readonly (() => void)[] = [];
  const end = (): void => cancels.forEach((cancel) => cancel());
  const reset = (): void => {
    end();
    const now = clock.now();
    cancels = (['drainAfter', 'cutAfter', 'leaveAfter'] as const).map((name) =>
      clock.wakeAt(later(now, limits[name]), () => actions[name]()),
    );
  };
  reset();
  return { reset, end };
}
