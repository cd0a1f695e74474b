import { between, ms, type Clock, type Instant, type Ms } from '../base/time.ts';
import type { Plan } from '../plan/plan.ts';
import { finishedClassNames } from '../protocol/outcome.ts';
import type { Live } from '../record/live.ts';
import type { AttemptFact } from '../model-calls/attempt-facts.ts';
import { MergingRecorder } from '../record/merging-recorder.ts';
import type { Snapshot } from '../record/snapshot.ts';
import type { GeneratorAccount, LostEntry, MissingShard } from '../result/journal/journal.ts';
import type { Worker } from '../result/sections/environment.ts';
import type { Warning } from '../result/sections/warning.ts';
import { judgeDroughts, type Hopeless } from '../schedule/stop/watchdog.ts';
import type { RunStop, StopController } from '../schedule/stop/stop-controller.ts';
import { unusableStop } from '../session/judge-fitness.ts';
import type { UnfitTarget } from '../session/session-context.ts';
import { countLost } from './count-lost.ts';
import { sumLive, sumTraffic, worstHealth, WorstSamples } from './shard-figures.ts';
import { type FromShard, readShardStop, type ShardStop } from './messages.ts';
import { ShardSilence, type ShardState } from './shard-state.ts';
import { sumTransport } from '../result/sections/transport.ts';

/** Maximum time that an interval waits for its last parts, counted from its end. */
const patienceMs = 2500;

/** Maximum time that an interval may be ahead of this machine's clock. */
const aheadMs = 2000;

export interface CoordinatorParts {
  plan: Plan;
  clock: Clock;
  states: readonly ShardState[];
  startedAt: Instant;
  stopController: StopController;
  /** Receives warnings during the run. */
  warn: (warning: Warning) => void;
  note: (text: string) => void;
  /** Abandons a shard. */
  abandon: (shard: number) => void;
  /** Start of the current interruption of the connection to all shards. */
  interruptedSince: () => Instant | undefined;
  onInterval: (piece: Snapshot) => void;
  /** Receives the facts about attempts of all shards. */
  onAttempts?: ((facts: readonly AttemptFact[]) => void) | undefined;
  /** Called when a shard has delivered its intervals up to a time, in milliseconds since the start; `Infinity`: all of them. */
  onDelivered?: ((shard: number, untilMs: number) => void) | undefined;
  /** Called at once when a shard was given up. */
  onLost: (worker: LostEntry['worker']) => void;
}

type ShardMessage<Kind extends FromShard['kind']> = Extract<FromShard, { kind: Kind }>;
type Cap = Extract<RunStop, { kind: 'cap' }> & { atMs: Ms };

/**
 * Follows the shards of a run: merges their publications, detects lost shards, and judges the run as a whole.
 * Independent of how shards are reached.
 */
export class Coordinator {
  readonly recorder: MergingRecorder;
  readonly #parts: CoordinatorParts;
  readonly #samples = new WorstSamples();
  readonly #warned = new Set<string>();
  readonly #allOver: Promise<void>;
  #over: () => void = () => undefined;
  readonly #silence: ShardSilence;
  #closedMs = 0;
  /** Stop of the last shard that spent its part of a cap. */
  cap: Cap | undefined;

  constructor(parts: CoordinatorParts) {
    this.#parts = parts;
    this.#silence = new ShardSilence(parts.startedAt);
    this.#allOver = new Promise((resolve) => (this.#over = resolve));
    const workers = parts.states.map(({ index }) => String(index));
    this.recorder = new MergingRecorder({ plan: parts.plan, workers, onInterval: parts.onInterval });
  }

  /** Resolves when every shard has ended or is lost. */
  allOver(): Promise<void> {
    return this.#allOver;
  }

  receive(state: ShardState, message: FromShard): void {
    // Messages of a lost shard arrive too late: its sessions are in the books as lost.
    if (state.phase === 'lost' || state.phase === 'ended') return;
    state.receivedAt = this.#parts.clock.now();
    switch (message.kind) {
      case 'started':
        state.startLateMs = message.lateMs;
        return;
      case 'pulse':
        state.live = message.live;
        state.droughts = message.droughts;
        return;
      case 'piece':
        return this.#receivePiece(state, message);
      case 'warning':
        this.#warnOnce(message.warning);
        return;
      case 'attempts':
        return this.#parts.onAttempts?.(message.facts);
      case 'unfit':
        state.unfit = message;
        return this.#judgeFitness();
      case 'stopping':
        return this.#receiveStopping(state, message);
      case 'ended':
        return this.#receiveEnd(state, message);
      case 'failed':
      case 'refused':
        return this.lose(state, message.message);
      case 'ready':
        return undefined;
    }
  }

  /** Passes on the first warning of a kind; each process counts its own lost spans. */
  #warnOnce(warning: Warning): void {
    const kind = warning.code === 'traces_not_exported' ? warning.message : warning.code;
    if (!this.#warned.has(kind)) this.#parts.warn(warning);
    this.#warned.add(kind);
  }

  /** Marks a shard as lost: the result excludes everything that it does from now on. */
  lose(state: ShardState, reason: string): void {
    if (state.phase === 'lost' || state.phase === 'ended') return;
    const { startedAt, clock, abandon } = this.#parts;
    state.phase = 'lost';
    state.elapsedMs = Math.max(0, between(startedAt, clock.now()));
    this.#markLost(state, { atMs: state.deliveredMs, reason });
    abandon(state.index);
    this.#endIfOver();
  }

  #markLost(state: ShardState, lost: NonNullable<ShardState['lost']>): void {
    const { plan, states, onLost } = this.#parts;
    state.lost = lost;
    const { index, deliveredMs } = state;
    const counted = this.recorder.countedBy(String(index));
    const closing = countLost(plan, { shard: { index, count: states.length }, counted, deliveredMs });
    this.recorder.add(String(index), closing);
    for (const worker of this.#publish(state)) onLost({ ...worker, lost });
    this.#parts.note(`Shard ${String(state.index)}${placeOf(state)} is lost: ${lost.reason}.`);
  }

  /** To be called several times per second. */
  look(now: Instant): void {
    const { states, startedAt, interruptedSince } = this.#parts;
    const silent = this.#silence.look(now, { states, interruptedSince: interruptedSince() });
    for (const [state, reason] of silent) this.lose(state, reason);
    const playing = states.filter((state) => state.isPlaying);
    const delivered = Math.min(...playing.map(({ deliveredMs }) => deliveredMs));
    const overdue = interruptedSince() === undefined ? between(startedAt, now) - patienceMs : 0;
    const beforeMs = Math.floor(Math.max(Number.isFinite(delivered) ? delivered : 0, overdue) / 1000) * 1000;
    if (beforeMs <= this.#closedMs) return;
    this.#closedMs = beforeMs;
    this.recorder.close(beforeMs);
  }

  /** Returns the reason to stop a run without progress, from the state of all shards. */
  judge(): Hopeless | undefined {
    return judgeDroughts(
      this.#parts.plan.stopWhen,
      this.#parts.states.flatMap(({ droughts }) => droughts ?? []),
    );
  }

  live(now: Instant): Live {
    const parts = this.#parts.states.flatMap(({ live }) => live ?? []);
    return {
      ...sumLive(parts, this.recorder.lastSeconds),
      elapsedMs: Math.max(0, between(this.#parts.startedAt, now)),
    };
  }

  /** Returns the load on the shards so far, with the samples of closed intervals; each sample is returned once. */
  accountNow(beforeMs: number = this.#closedMs): GeneratorAccount {
    const accounts = this.#parts.states.map(({ account }) => account);
    return {
      generator: worstHealth(accounts.map(({ generator }) => generator)),
      samples: this.#samples.take(beforeMs),
      traffic: sumTraffic(accounts.map(({ traffic }) => traffic)),
      transport: sumTransport(accounts.map(({ transport }) => transport)),
    };
  }

  get samples() {
    return this.#samples.all();
  }

  workers(): Worker[] {
    return this.#parts.states.flatMap((state) => this.#publish(state));
  }

  /** Shards that have not ended, and whose part of the closed intervals is missing. */
  missing(): MissingShard[] {
    return this.#parts.states
      .filter(({ phase, deliveredMs }) => phase !== 'ended' && deliveredMs < this.#closedMs)
      .map(({ index, deliveredMs }) => ({ shard: index, untilMs: deliveredMs }));
  }

  #publish(state: ShardState): Worker[] {
    return state.publish(this.recorder.countedBy(String(state.index)));
  }

  #receivePiece(
    state: ShardState,
    { number, piece, generator, samples, traffic, transport }: ShardMessage<'piece'>,
  ): void {
    if (number <= state.pieces) return;
    if (number > state.pieces + 1) return this.lose(state, `its interval ${String(state.pieces + 1)} did not arrive`);
    const { startedAt, clock, plan } = this.#parts;
    const isLate = piece.elapsedMs > between(startedAt, clock.now()) + aheadMs;
    if (isLate || piece.warmUpMs !== plan.warmUpMs || !isOneInterval(piece, plan))
      return this.lose(state, 'an interval of it is of another time or run');
    state.pieces = number;
    try {
      this.recorder.add(String(state.index), piece);
    } catch (thrown) {
      return this.lose(state, `an interval of it could not be read: ${String(thrown)}`);
    }
    state.deliveredMs = Math.max(state.deliveredMs, piece.elapsedMs);
    this.#parts.onDelivered?.(state.index, state.deliveredMs);
    state.account = { generator, traffic, transport };
    this.#samples.add(samples);
  }

  /** Stops the run if all shards found the target unusable; a target that works for one shard is usable. */
  #judgeFitness(): void {
    const { states, stopController } = this.#parts;
    const found = states.flatMap((each) => each.unfit ?? []);
    const shown = found.find((each) => each.outcome !== 'check_failed') ?? found[0];
    if (shown === undefined) return;
    if (states.some((each) => each.unfit === undefined && (each.isPlaying || this.#hasFinished(each, shown)))) return;
    stopController.end(unusableStop({ ...shown, count: found.reduce((sum, each) => sum + each.count, 0) }));
  }

  /** Reports whether a finished shard has completed operations of this kind and found them usable. */
  #hasFinished({ index }: ShardState, { operation }: UnfitTarget): boolean {
    return this.recorder.countedBy(String(index)).some(({ counters: { sessions, turns } }) => {
      if (operation === 'message') return finishedClassNames.some((name) => turns[name] > 0);
      return createdOrNot.some((name) => sessions[name] > 0);
    });
  }

  #receiveStopping(state: ShardState, message: ShardMessage<'stopping'>): void {
    const stop = readShardStop(message);
    if (stop?.kind === 'cap') this.cap = { ...stop, atMs: ms(message.stop.atMs) };
    else if (stop !== undefined) this.#parts.stopController.end(named(state, stop));
  }

  #receiveEnd(
    state: ShardState,
    { pieces, elapsedMs, early, generator, samples, traffic, transport }: ShardMessage<'ended'>,
  ): void {
    if (pieces !== state.pieces)
      return this.lose(state, `${String(pieces - state.pieces)} of its intervals did not arrive`);
    state.elapsedMs = elapsedMs;
    state.account = { generator, traffic, transport };
    this.#samples.add(samples);
    this.#parts.onDelivered?.(state.index, Infinity);
    // The shard's books are complete; only its remaining load is lost.
    state.phase = early === null ? 'ended' : 'lost';
    if (early !== null) this.#markLost(state, { atMs: elapsedMs, reason: early });
    this.#judgeFitness();
    this.#endIfOver();
  }

  #endIfOver(): void {
    const { states, stopController } = this.#parts;
    if (states.some((state) => state.isPlaying)) return;
    if (states.every(({ phase }) => phase === 'lost'))
      stopController.end({ kind: 'fleet_lost', why: `every shard was lost, the last because ${lastReason(states)}` });
    this.#over();
  }
}

/** Ends of a creation. */
const createdOrNot = ['created', 'create_failed'] as const;

/** Reports whether a message contains a single interval, as a shard must publish it: many would all be read at once. */
const isOneInterval = ({ intervals, elapsedMs, intervalMs }: Snapshot, { retry }: Plan): boolean =>
  intervals.length <= 2 * retry.length && intervals.every(({ startMs }) => startMs === elapsedMs - intervalMs);

/** Names the shard in a stop for a rejected key, which may be the key of one worker only. */
const named = (state: ShardState, stop: ShardStop): ShardStop =>
  stop.kind === 'circuit' ? { ...stop, why: `${stop.why} (shard ${String(state.index)}${placeOf(state)})` } : stop;

const placeOf = ({ machine }: ShardState): string => (machine === undefined ? '' : ` on ${machine.host}`);

const lastReason = (states: readonly ShardState[]): string =>
  states.toSorted((a, b) => b.elapsedMs - a.elapsedMs)[0]?.lost?.reason ?? 'its process was gone';

/** Returns the time between the start message and the start: the more shards, the longer until the last one receives it. */
export function leadOf(shards: number): Ms {
  return ms(200 + Math.min(1800, shards * 10));
}

/** Interval at which the coordinator checks its shards. */
export const lookEveryMs = ms(100);
