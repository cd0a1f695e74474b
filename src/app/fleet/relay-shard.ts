import { later, ms, type Clock, type Ms } from '../../base/time.ts';
import type { ShardProcess } from '../../edge/fleet/fork-shard.ts';
import type { FromShard, ToShard, ShardJob } from '../../fleet/messages.ts';
import type { OfShard, ShardLine } from '../../fleet/shards.ts';

/** What the shard of a worker is played with. */
export interface ShardSurroundings {
  line: ShardLine;
  /** Starts the process of the shard. */
  fork: () => ShardProcess;
  clock: Clock;
  patience: Patience;
  folder: string;
  allowHosts: readonly string[];
  /** Asked for by whoever started the worker. */
  stops: { drain: AbortSignal; cut: AbortSignal };
  /** Says what happens to the shard, in a few words. */
  note: (text: string) => void;
}

export type ShardEnd = 'played' | 'refused' | 'failed';

/**
 * Plays a shard in a process of its own, and passes on what it and its coordinator say to each other. Resolves when its
 * process has ended and the coordinator has read all of it, or does not listen any more.
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
  /** Nobody listens any more. */
  #isUnheard = false;
  /** There was no room for what it said. */
  #isFull = false;
  #cancelKill = (): void => undefined;

  constructor(around: ShardSurroundings, resolve: (end: ShardEnd) => void) {
    this.#around = around;
    this.#resolve = resolve;
    this.#child = around.fork();
    const actions = {
      drain: () => this.#drainAlone(),
      cut: this.#cut,
      leave: () => this.#leave('given up: nothing was heard of its coordinator for too long'),
    };
    this.#silence = watchSilence(around.clock, actions, around.patience);
  }

  begin(job: ShardJob): void {
    const { line, stops, folder, allowHosts } = this.#around;
    this.#child.listen({ heard: (message) => this.#pass(message), gone: (reason) => this.#lose(reason) });
    line.listen({
      heartbeat: () => {
        this.#silence.heard();
        this.#finish();
      },
      told: (message: ToShard) => this.#child.send(message),
      abandoned: () => this.#leave('given up by its coordinator'),
      closed: () => this.#close(),
    });
    stops.drain.addEventListener('abort', this.#drain);
    stops.cut.addEventListener('abort', this.#hurry);
    this.#child.send({ kind: 'play', job, folder, allowHosts, trustsTarget: false });
  }

  #pass(message: FromShard): void {
    if (this.#isFull) return;
    this.#end = endAfter(message) ?? this.#end;
    const words = wordsOf(message);
    if (words !== undefined) this.#around.note(words);
    this.#say(message);
  }

  #say(said: OfShard): void {
    if (this.#around.line.say(said)) return;
    this.#isFull = true;
    this.#end = 'failed';
    const message = 'its coordinator reads nothing, and its worker has no room for more';
    this.#around.line.say({ kind: 'failed', message });
    this.#around.note(`failed: ${message}`);
    this.#child.kill();
  }

  #lose(reason: string): void {
    this.#isGone = true;
    if (this.#end === 'failed' && !this.#isUnheard) this.#around.note(`gone: ${reason}`);
    // The last word has room where nothing else has.
    this.#around.line.say({ kind: 'gone', reason });
    this.#finish();
  }

  #drainAlone(): void {
    if (!this.#isGone) this.#around.note('draining by itself: its coordinator is silent');
    this.#stop('drain', 'the silence of its coordinator');
  }

  #stop(level: 'drain' | 'cut', by: string): void {
    this.#child.send({ kind: 'stop', level, by });
  }

  readonly #drain = (): void => this.#stop('drain', 'its worker');
  readonly #cut = (): void => this.#stop('cut', 'its worker');
  readonly #hurry = (): void => {
    if (this.#isGone) this.#leave('given up before its coordinator has read all of it');
    else this.#cut();
  };

  #leave(why: string): void {
    if (!this.#isUnheard) this.#around.note(why);
    this.#isUnheard = true;
    this.#child.kill();
    this.#finish();
  }

  /** Its run is over, and it was told to stop: it may be where it cannot hear that. */
  #close(): void {
    const { clock, note } = this.#around;
    this.#isUnheard = true;
    this.#silence.end();
    this.#cancelKill = clock.wakeAt(later(clock.now(), closingMs), () => {
      note('given up: it did not end with its run');
      this.#child.kill();
    });
    this.#finish();
  }

  #finish(): void {
    const { line, stops } = this.#around;
    if (!this.#isGone || !(this.#isUnheard || line.isRead())) return;
    this.#silence.end();
    this.#cancelKill();
    stops.drain.removeEventListener('abort', this.#drain);
    stops.cut.removeEventListener('abort', this.#hurry);
    line.close();
    this.#resolve(this.#end);
  }
}

/** For so long a shard may go on after the end of its run. */
const closingMs = ms(2000);

function endAfter({ kind }: FromShard): ShardEnd | undefined {
  if (kind === 'ended') return 'played';
  return kind === 'refused' || kind === 'failed' ? kind : undefined;
}

/** What is worth a line. */
function wordsOf(message: FromShard): string | undefined {
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

/** After how long without a heartbeat of its coordinator a worker acts by itself. */
export interface Patience {
  drainAfter: Ms;
  cutAfter: Ms;
  leaveAfter: Ms;
}

export const patience: Patience = { drainAfter: ms(10_000), cutAfter: ms(20_000), leaveAfter: ms(30_000) };

/** What is done about a coordinator that is silent. */
interface SilenceActions {
  drain(): void;
  cut(): void;
  /** Nobody is expected to listen any more. */
  leave(): void;
}

interface SilenceWatch {
  heard(): void;
  end(): void;
}

/** Watches for the heartbeats of a coordinator: a load that nobody watches must not go on. */
function watchSilence(clock: Clock, actions: SilenceActions, limits: Patience): SilenceWatch {
  let cancels: readonly (() => void)[] = [];
  const end = (): void => cancels.forEach((cancel) => cancel());
  const heard = (): void => {
    end();
    const now = clock.now();
    cancels = [
      clock.wakeAt(later(now, limits.drainAfter), () => actions.drain()),
      clock.wakeAt(later(now, limits.cutAfter), () => actions.cut()),
      clock.wakeAt(later(now, limits.leaveAfter), () => actions.leave()),
    ];
  };
  heard();
  return { heard, end };
}
