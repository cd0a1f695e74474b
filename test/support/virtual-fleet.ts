import { speakShard } from '../../src/app/shard/play-shard.ts';
import { instant, ms, type Instant, type Ms } from '../../src/base/time.ts';
import { coordinate, type CoordinatedOutcome, type CoordinatorEffects } from '../../src/coordinate.ts';
import type { FromShard, ToShard } from '../../src/fleet/messages.ts';
import type { Shards, ShardsListener } from '../../src/fleet/shards.ts';
import type { ResolvedScenario } from '../../src/plan/resolve-scenario.ts';
import type { Snapshot } from '../../src/record/snapshot.ts';
import type { Send } from '../../src/session/send.ts';
import { StopRequest } from '../../src/schedule/stop/stop-controller.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** Interference of a test with the connection between a shard and its coordinator. */
export interface Interference {
  /** Returns the delivered messages for a shard's message at this time since the start: none, one or several. */
  pass?: (shard: number, message: FromShard, atMs: number) => readonly FromShard[];
  /** Instead of getting ready. */
  first?: (shard: number) => FromShard | undefined;
  /** Start of the interruption of the connection to all shards, on the clock. */
  interruptedSince?: () => Instant | undefined;
  lateMs?: (shard: number) => number;
}

const machine = {
  host: 'a-host',
  pid: 1,
  cpuModel: 'a',
  cores: 2,
  memoryBytes: 1,
  os: 'a',
  arch: 'a',
  nodeVersion: '20.19.0',
  toolVersion: '0.0.0',
};

/** Shards that run in this process, in virtual time. */
export class VirtualShards implements Shards {
  readonly count: number;
  readonly abandoned: number[] = [];
  readonly told: ToShard[] = [];
  isClosed = false;
  readonly #resolved: ResolvedScenario;
  readonly #clock: VirtualClock;
  readonly #sendOf: (shard: number) => Send;
  readonly #interference: Interference;
  readonly #levels: Record<'drain' | 'halt' | 'cut', AbortController>[];
  #listener: ShardsListener | undefined;
  #startedAt = instant(0);

  constructor(
    count: number,
    around: { resolved: ResolvedScenario; clock: VirtualClock } & (
      { send: Send } | { sendOf: (shard: number) => Send }
    ) &
      Interference,
  ) {
    this.count = count;
    this.#resolved = around.resolved;
    this.#clock = around.clock;
    this.#sendOf = 'sendOf' in around ? around.sendOf : () => around.send;
    this.#interference = around;
    this.#levels = Array.from({ length: count }, () => ({
      drain: new AbortController(),
      halt: new AbortController(),
      cut: new AbortController(),
    }));
  }

  listen(listener: ShardsListener): void {
    this.#listener = listener;
    for (let shard = 0; shard < this.count; shard++)
      listener.received(shard, this.#interference.first?.(shard) ?? { kind: 'ready', worker: machine });
  }

  /** The shard is gone, as far as the bank knows. */
  leave(shard: number, reason: string): void {
    this.#levels[shard]?.cut.abort(new StopRequest('a test'));
    this.#listener?.gone(shard, reason);
  }

  /** Somebody at the shard's own machine stops it. */
  stopThere(shard: number): void {
    this.#levels[shard]?.drain.abort(new StopRequest('its worker'));
  }

  send(message: ToShard, only?: number): void {
    this.told.push(message);
    for (let shard = 0; shard < this.count; shard++) {
      if (only !== undefined && only !== shard) continue;
      if (message.kind === 'stop') this.#levels[shard]?.[message.level].abort(new StopRequest('the coordinator'));
      else this.#start(shard, message.at);
    }
  }

  /** The instant from which all shards count. */
  get startedAt(): Instant {
    return this.#startedAt;
  }

  appoint(ahead: Ms): { at: number; instant: Instant } {
    this.#startedAt = instant(this.#clock.now() + ahead);
    return { at: this.#startedAt, instant: this.#startedAt };
  }

  clockUncertaintyMs(): Ms {
    return ms(0);
  }

  interruptedSince(): Instant | undefined {
    return this.#interference.interruptedSince?.();
  }

  abandon(shard: number): void {
    this.abandoned.push(shard);
    this.#levels[shard]?.cut.abort(new StopRequest('a test'));
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }

  #start(shard: number, at: number): void {
    const { lateMs, pass } = this.#interference;
    this.#clock.wakeAt(instant(at + (lateMs?.(shard) ?? 0)), () => {
      const levels = this.#levels[shard];
      if (levels === undefined) return;
      const account = { generator: null, samples: [], traffic: null, transport: null };
      void speakShard(
        instant(at),
        {
          resolved: this.#resolved,
          shard: { index: shard, count: this.count },
          generator: {
            sender: { send: this.#sendOf(shard), cut: () => undefined },
            accountNow: () => account,
            end: () => Promise.resolve({ samples: [], account: { ...account, traffic: noTraffic } }),
          },
          clock: this.#clock,
        },
        {
          send: (message) => {
            const through = pass?.(shard, message, this.#clock.now() - this.#startedAt) ?? [message];
            for (const each of through) this.#listener?.received(shard, each);
          },
          drain: levels.drain.signal,
          halt: levels.halt.signal,
          cut: levels.cut.signal,
          strayFailed: () => new Promise(() => undefined),
        },
      );
    });
  }
}

const noTraffic = { sentBytes: 0, receivedBytes: 0, connectionsOpened: 0 };

export interface Coordinated {
  outcome: CoordinatedOutcome;
  /** Entries of the journal. */
  pieces: Snapshot[];
  notes: string[];
}

/** Coordinates shards until their end, in virtual time. */
export async function coordinateVirtually(
  resolved: ResolvedScenario,
  shards: Shards,
  { clock, ...effects }: { clock: VirtualClock } & Partial<CoordinatorEffects>,
): Promise<Coordinated> {
  const pieces: Snapshot[] = [];
  const notes: string[] = [];
  const never = new AbortController().signal;
  const running = coordinate(resolved.plan, {
    shards,
    clock,
    drain: never,
    cut: never,
    readyWithinMs: ms(60_000),
    note: (text) => notes.push(text),
    warn: ({ code }) => notes.push(code),
    ready: () =>
      Promise.resolve({
        add: (piece) => pieces.push(piece),
        lost: () => undefined,
        failed: new Promise(() => undefined),
      }),
    watch: () => undefined,
    ...effects,
  });
  // It may reject while the clock runs.
  running.catch(() => undefined);
  return { outcome: await clock.finish(running), pieces, notes };
}
