import { later, ms, type Clock, type Ms } from '../../base/time.ts';
import type { ShardProcess } from '../../edge/fleet/fork-shard.ts';
import type { FromShard, ToShard, ShardJob } from '../../fleet/messages.ts';
import type { OfShard, ShardLine } from '../../fleet/shards.ts';

/** Context of a worker's shard. */
export interface ShardSurroundings {
  line: ShardLine;
  /** Starts the process of the shard. */
  fork: () => ShardProcess;
  clock: Clock;
  patience: Patience;
  folder: string;
  allowHosts: readonly string[];
  /** Stop requests of the worker's own process. */
  stops: { drain: AbortSignal; cut: AbortSignal };
  /** Called with a short line for each event. */
  note: (text: string) => void;
}

export type ShardEnd = 'played' | 'refused' | 'failed';

/**
 * Runs a shard in a child process and relays messages between it and its coordinator. Resolves when the process has ended
 * and the coordinator has read all messages, or is gone.
 */
export function relayShard(job: ShardJob, around: ShardSurroundings): Promise<ShardEnd> {
  return new Promise((resolve) => new ShardPlay(around, resolve).begin(job));
}

class ShardPlay {
  readonly #around: ShardSurroundings;
  readonly #resolve: (end: ShardEnd) => void;
  readonly #child: ShardProcess;
  readonly #silence: SilenceWatch;
  #end: ShardEnd = 'failed';
  #isGone = false;
  /** True if the coordinator is gone. */
  #isOrphaned = false;
  /** True if a message did not fit. */
  #isFull = false;
  #cancelKill = (): void => undefined;

  constructor(around: ShardSurroundings, resolve: (end: ShardEnd) => void) {
    this.#around = around;
    this.#resolve = resolve;
    this.#child = around.fork();
    const actions = {
      drain: () => this.#drainAlone(),
      cut: this.#cut,
      leave: () => this.#leave('abandoned: its coordinator was silent for too long'),
    };
    this.#silence = watchSilence(around.clock, actions, around.patience);
  }

  begin(job: ShardJob): void {
    const { line, stops, folder, allowHosts } = this.#around;
    this.#child.listen({ heard: (message) => this.#pass(message), gone: (reason) => this.#lose(reason) });
    line.listen({
      heartbeat: () => {
        this.#silence.reset();
        this.#finish();
      },
      told: (message: ToShard) => this.#child.send(message),
      abandoned: () => this.#leave('abandoned by its coordinator'),
      closed: () => this.#close(),
    });
    stops.drain.addEventListener('abort', this.#drain);
    stops.cut.addEventListener('abort', this.#hurry);
    this.#child.send({ kind: 'play', job, folder, allowHosts, trustsTarget: false });
  }

  #pass(message: FromShard): void {
    if (this.#isFull) return;
    this.#end = endAfter(message) ?? this.#end;
    const text = textOf(message);
    if (text !== undefined) this.#around.note(text);
    this.#send(message);
  }

  #send(message: OfShard): void {
    if (this.#around.line.say(message)) return;
    this.#isFull = true;
    this.#end = 'failed';
    const reason = 'its coordinator does not read messages, and the buffer of its worker is full';
    this.#around.line.say({ kind: 'failed', message: reason });
    this.#around.note(`failed: ${reason}`);
    this.#child.kill();
  }

  #lose(reason: string): void {
    this.#isGone = true;
    if (this.#end === 'failed' && !this.#isOrphaned) this.#around.note(`gone: ${reason}`);
    // Room is reserved for the last message.
    this.#around.line.say({ kind: 'gone', reason });
    this.#finish();
  }

  #drainAlone(): void {
    if (!this.#isGone) this.#around.note('draining: its coordinator is silent');
    this.#stop('drain', 'the silence of its coordinator');
  }

  #stop(level: 'drain' | 'cut', by: string): void {
    this.#child.send({ kind: 'stop', level, by });
  }

  readonly #drain = (): void => this.#stop('drain', 'its worker');
  readonly #cut = (): void => this.#stop('cut', 'its worker');
  readonly #hurry = (): void => {
    if (this.#isGone) this.#leave('abandoned before its coordinator has read all messages');
    else this.#cut();
  };

  #leave(why: string): void {
    if (!this.#isOrphaned) this.#around.note(why);
    this.#isOrphaned = true;
    this.#child.kill();
    this.#finish();
  }

  /** Ends the shard after its run, by force if it does not react to the stop request. */
  #close(): void {
    const { clock, note } = this.#around;
    this.#isOrphaned = true;
    this.#silence.end();
    this.#cancelKill = clock.wakeAt(later(clock.now(), closingMs), () => {
      note('abandoned: it did not end with its run');
      this.#child.kill();
    });
    this.#finish();
  }

  #finish(): void {
    const { line, stops } = this.#around;
    if (!this.#isGone || !(this.#isOrphaned || line.isRead())) return;
    this.#silence.end();
    this.#cancelKill();
    stops.drain.removeEventListener('abort', this.#drain);
    stops.cut.removeEventListener('abort', this.#hurry);
    line.close();
    this.#resolve(this.#end);
  }
}

/** Maximum duration of a shard after the end of its run. */
const closingMs = ms(2000);

function endAfter({ kind }: FromShard): ShardEnd | undefined {
  if (kind === 'ended') return 'played';
  return kind === 'refused' || kind === 'failed' ? kind : undefined;
}

/** Returns the line to print for a message, if any. */
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
export interface Patience {
  drainAfter: Ms;
  cutAfter: Ms;
  leaveAfter: Ms;
}

export const patience: Patience = { drainAfter: ms(10_000), cutAfter: ms(20_000), leaveAfter: ms(30_000) };

/** Actions for a silent coordinator. */
interface SilenceActions {
  drain(): void;
  cut(): void;
  /** Gives up the coordinator. */
  leave(): void;
}

interface SilenceWatch {
  reset(): void;
  end(): void;
}

/** Watches the heartbeats of a coordinator, so that an unattended load stops. */
function watchSilence(clock: Clock, actions: SilenceActions, limits: Patience): SilenceWatch {
  let cancels: readonly (() => void)[] = [];
  const end = (): void => cancels.forEach((cancel) => cancel());
  const reset = (): void => {
    end();
    const now = clock.now();
    cancels = [
      clock.wakeAt(later(now, limits.drainAfter), () => actions.drain()),
      clock.wakeAt(later(now, limits.cutAfter), () => actions.cut()),
      clock.wakeAt(later(now, limits.leaveAfter), () => actions.leave()),
    ];
  };
  reset();
  return { reset, end };
}
