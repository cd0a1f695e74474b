import { between, type Instant } from '../base/time.ts';
import type { Plan } from '../plan/plan.ts';
import type { ModelPrice } from '../plan/prices.ts';
import { Archive, takeEnded } from '../record/archive.ts';
import { HistogramPool } from '../record/dense-histogram.ts';
import type { Defer } from '../record/interval-store.ts';
import { shortestIntervalMs, startOf } from '../record/interval-width.ts';
import { Partition } from '../record/partition.ts';
import { shardOf } from '../plan/shard.ts';
import { SlowTurns } from '../record/slow-turns.ts';
import type { Snapshot } from '../record/snapshot.ts';
import type { LiveTally } from '../record/tally.ts';
import type { ResolvedModel } from '../scenario/model-options.ts';
import type { Phase } from './accounts.ts';
import type { AttemptBegun, AttemptEnded, AttemptFact, TurnEnded } from './attempt-facts.ts';
import { CallLedger, type ArrivedCall } from './call-ledger.ts';
import type { CallEnd, CallPlace, CallStart, ModelObserver } from './model-observer.ts';
import { bytesOf, SharedPrefixes } from './shared-prefixes.ts';
import { textHashOf } from './text-hash.ts';
import { readTraceId } from './trace-id.ts';

export interface ModelRecorderOptions {
  plan: Pick<Plan, 'warmUpMs' | 'retry'>;
  /** Run of the trace ids: 8 hexadecimal digits. */
  run: string;
  /** Start of the run, by the clock of the machine. */
  startedAt: Instant;
  model: Pick<ResolvedModel, 'match' | 'orphanGrace'>;
  /** Prices by model; `undefined`: costs are not computed. */
  pricing?: ReadonlyMap<string, ModelPrice> | undefined;
  redact?: (text: string) => string;
  /** Name that distinguishes its snapshots from those of the generators. */
  worker?: string;
  /** Number of shards of the load, each of whose calls are a part of the record. Default 1: there is one part. */
  shards?: number;
  /** Called with the snapshot of each single interval of a part, between one and two seconds after its end. Merged, they make the whole. */
  onInterval?: (piece: Snapshot, part: number) => void;
  /** Called when all parts have been published up to a time, in milliseconds since the start. */
  onClosed?: (untilMs: number) => void;
  defer?: Defer;
}

/** Records the model calls of a run. Its snapshots merge with those of the generators. */
export interface ModelRecorder extends ModelObserver {
  take(facts: readonly AttemptFact[]): void;
  /** Counts a second at whose end the process of the service had used up a core. */
  saturated(now: Instant): void;
  /** Counts what has ended, and archives ended intervals; to be called about once per second. */
  roll(now: Instant): void;
  /** Counts everything that has ended, at the end of the run: open calls have been reported as `open_at_end`. */
  closeAt(now: Instant): void;
  /** Returns everything counted up to `now`, by part; recording may continue afterwards. */
  snapshots(now: Instant): Snapshot[];
  /** Known cost of all calls so far, in billionths. */
  readonly costNanos: number;
  /** Numbers of held objects, which do not grow with the length of the run. */
  readonly held: Readonly<Record<string, number>>;
}

/** A part of the record: the model calls of one shard, or those that belong to none. */
interface Part {
  /** The warm-up of every policy, then the measured part of every policy. */
  readonly partitions: readonly Partition[];
  readonly archive: Archive;
  readonly slowTurns: SlowTurns;
}

/** Returns the number of parts of a record: one, or one per shard after that of calls without a shard. */
export function partsFor(shards: number): number {
  return shards === 1 ? 1 : shards + 1;
}

export function createModelRecorder(options: ModelRecorderOptions): ModelRecorder {
  return new CallRecorder(options);
}

class CallRecorder implements ModelRecorder {
  readonly #options: ModelRecorderOptions;
  readonly #parts: readonly Part[];
  readonly #prefixes = new SharedPrefixes();
  readonly #ledger: CallLedger;
  /** Time up to which intervals have been archived. */
  #closedMs = 0;

  constructor(options: ModelRecorderOptions) {
    const {
      plan,
      model,
      pricing,
      redact = (text: string) => text,
      worker = 'model',
      shards = 1,
      onInterval,
      defer = setImmediate,
    } = options;
    this.#options = options;
    const pool = new HistogramPool();
    this.#parts = Array.from({ length: partsFor(shards) }, (_, part) => ({
      partitions: [true, false].flatMap((warmUp) =>
        plan.retry.map((_, policy) => new Partition(pool, { warmUp, policy })),
      ),
      archive: new Archive({
        workers: [part === 0 ? worker : `${worker} ${String(part - 1)}`],
        warmUpMs: plan.warmUpMs,
        defer,
        onInterval: onInterval && ((piece) => onInterval(piece, part)),
      }),
      slowTurns: new SlowTurns(),
    }));
    this.#ledger = new CallLedger({
      model,
      pricing,
      redact,
      tallyOf: (phase, endedUs) => this.#tally(phase, endedUs / 1000),
      phaseAt: (arrivedUs) => this.#phase(arrivedUs / 1000),
      prefixes: this.#prefixes,
      slowTurnsOf: ({ part }) => this.#partOf(part).slowTurns,
    });
  }

  callStarted(start: CallStart): CallPlace | undefined {
    const { id, arrivedAt, api, model, digest, retryCount, blocks } = start;
    const call: ArrivedCall = {
      id,
      arrivedUs: this.#us(arrivedAt),
      api,
      model,
      digest,
      retryCount,
      blocks,
      inputBytes: bytesOf(blocks),
      traced: this.#tracedBy(start.traceId) ?? this.#tracedBy(start.headerTraceId),
      textHash: this.#options.model.match === 'text' ? textHashOf(start.userText) || undefined : undefined,
    };
    return this.#ledger.callStarted(call);
  }

  callEnded({ id, endedAt, outcome, fault, status, firstContentAt, usage, model, latenessMs, word }: CallEnd): void {
    const firstContentUs = firstContentAt === undefined ? undefined : this.#us(firstContentAt);
    const end = { endedUs: this.#us(endedAt), outcome, fault, status, firstContentUs, usage, model, latenessMs, word };
    this.#ledger.callEnded(id, end);
  }

  otherRequest(at: Instant): void {
    this.#tallyAt(at).counters.modelCalls.otherRequests++;
  }

  connectionOpened(at: Instant): void {
    this.#tallyAt(at).counters.modelCalls.connections++;
  }

  saturated(now: Instant): void {
    this.#tallyAt(now).counters.modelCalls.saturatedSeconds++;
  }

  take(facts: readonly AttemptFact[]): void {
    for (const fact of facts) {
      if (fact.kind === 'begun') this.#begun(fact);
      else if (fact.kind === 'ended') this.#ended(fact);
      else this.#turnEnded(fact);
    }
  }

  roll(now: Instant): void {
    const elapsedMs = this.#elapsed(now);
    this.#ledger.settle(this.#us(now));
    // An interval stays open until attempts that ended in it have been counted.
    const beforeMs = startOf(elapsedMs, shortestIntervalMs) - shortestIntervalMs;
    if (beforeMs <= this.#closedMs) return;
    this.#close(beforeMs);
    this.#closedMs = beforeMs;
    for (const { archive } of this.#parts) archive.grow(elapsedMs);
    const { onClosed } = this.#options;
    let left = this.#parts.length;
    // After the intervals, which are published in steps.
    for (const { archive } of this.#parts) archive.whenDone(() => --left === 0 && onClosed?.(beforeMs));
  }

  closeAt(now: Instant): void {
    this.#ledger.settle(this.#us(now), true);
  }

  snapshots(now: Instant): Snapshot[] {
    this.#close(Infinity);
    return this.#parts.map(({ archive, partitions, slowTurns }) =>
      archive.snapshot(this.#elapsed(now), partitions, { examples: [], violations: [], ...slowTurns.all() }),
    );
  }

  get costNanos(): number {
    const partitions = this.#parts.flatMap((part) => part.partitions);
    const tallies = partitions.flatMap(({ total, open }) => [total, ...open]);
    return tallies.reduce((sum, { counters }) => sum + counters.modelSpending.costNanos, 0);
  }

  get held(): Readonly<Record<string, number>> {
    return { ...this.#ledger.held, blocks: this.#prefixes.size };
  }

  #begun({ traceId, session, turn, attempt, policy, textHash, sentAt, countedFrom }: AttemptBegun): void {
    const phase = this.#phase(this.#elapsed(countedFrom), { policy, session });
    this.#ledger.begun(traceId, { session, turn, attempt }, { ...phase, sentUs: this.#us(sentAt), textHash });
  }

  #ended({ traceId, outcome, endedAt, firstTokenAt, words }: AttemptEnded): void {
    const firstTokenUs = firstTokenAt === undefined ? undefined : this.#us(firstTokenAt);
    this.#ledger.ended(traceId, { outcome, endedUs: this.#us(endedAt), firstTokenUs, words });
  }

  #turnEnded({ session, turn, policy, outcome, attempts, firstSentAt, endedAt }: TurnEnded): void {
    const phase = this.#phase(this.#elapsed(firstSentAt), { policy, session });
    const [firstSentUs, endedUs] = [this.#us(firstSentAt), this.#us(endedAt)];
    this.#ledger.turnEnded(session, turn, { ...phase, outcome, attempts, firstSentUs, endedUs });
  }

  #tracedBy(traceId: string | undefined): ArrivedCall['traced'] {
    const place = traceId === undefined ? undefined : readTraceId(traceId, this.#options.run);
    return traceId === undefined || place === undefined ? undefined : { traceId, place };
  }

  #tallyAt(at: Instant): LiveTally {
    const elapsedMs = this.#elapsed(at);
    return this.#tally(this.#phase(elapsedMs), elapsedMs);
  }

  #tally({ policy, warmUp, part }: Phase, endedMs: number): LiveTally {
    const { partitions } = this.#partOf(part);
    const partition = partitions[(warmUp ? 0 : this.#options.plan.retry.length) + policy];
    if (partition === undefined) throw new Error(`the plan has no retry policy ${String(policy)}`);
    return partition.at(endedMs);
  }

  /** Returns the phase of an observation of a session, or of one that belongs to none. */
  #phase(elapsedMs: number, { policy, session }: { policy: number; session?: number } = { policy: 0 }): Phase {
    const { plan, shards = 1 } = this.#options;
    const part = session === undefined || shards === 1 ? 0 : shardOf(session, shards) + 1;
    return { policy, warmUp: elapsedMs < plan.warmUpMs, part };
  }

  #partOf(part: number): Part {
    const found = this.#parts[part];
    if (found === undefined) throw new Error(`there is no part ${String(part)} of the record`);
    return found;
  }

  #elapsed(at: Instant): number {
    return between(this.#options.startedAt, at);
  }

  #us(at: Instant): number {
    return Math.round(this.#elapsed(at) * 1000);
  }

  #close(beforeMs: number): void {
    for (const { partitions, archive, slowTurns } of this.#parts) {
      const takeKept = () => ({ examples: [], violations: [], ...slowTurns.takeFresh() });
      for (const ended of takeEnded(partitions, [], beforeMs, takeKept)) archive.put(ended);
    }
  }
}
