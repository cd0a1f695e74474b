import { isObject } from '../../base/is-object.ts';
import { shortestIntervalMs } from '../../record/interval-width.ts';
import { type Snapshot, PieceMerger } from '../../record/snapshot.ts';
import { withoutWaits } from '../../record/shifts.ts';
import { readSparse } from '../../record/sparse-histogram.ts';
import type { StoredSeries } from '../../record/stored-series.ts';
import { GeneratorSamples } from '../sections/generator-health.ts';
import type { Stop } from '../sections/run-facts.ts';
import type { Warning } from '../sections/warning.ts';
import {
  journalEntrySchema,
  type EndEntry,
  type GeneratorAccount,
  type IntervalEntry,
  type JournalHeader,
  type JournalLine,
  type LostEntry,
  type MissingShard,
  type WarningEntry,
} from './journal.ts';
import { Gaps, type Gap, LineList } from './gaps.ts';

export interface JournalLosses {
  /** End of the covered time, in milliseconds since the start of the run. */
  elapsedMs: number;
  hasEnd: boolean;
  /** Number of the last line, if the file ends within it. */
  torn: number | undefined;
  damaged: LineList;
  foreign: LineList;
  repeated: LineList;
  misplaced: LineList;
  missing: Gap[];
}

export interface Gathered {
  snapshot: Snapshot;
  account: GeneratorAccount;
  /** Reason that ended the run early, if the journal contains its end. */
  stop: Stop | null;
  /** Workers of its shards, and which of them were lost; `null` for a run without shards. */
  workers: EndEntry['workers'];
  warnings: readonly Warning[];
  losses: JournalLosses;
}

/** Sums up the entries of a journal after its header; a faulty line is recorded and omitted. */
export class JournalGathering {
  readonly #header: JournalHeader;
  /** True to check every histogram when it is read, which takes as long as everything else. */
  readonly #isStrict: boolean;
  readonly #merger = new PieceMerger();
  /** Intervals of model calls after the latest interval of the load. */
  #later: Snapshot[] = [];
  readonly #there = new Gaps();
  readonly #lists: Record<LineFault, LineList> = {
    damaged: new LineList(),
    foreign: new LineList(),
    repeated: new LineList(),
    misplaced: new LineList(),
  };
  /** End of the latest interval of the load. */
  #loadMs = 0;
  #torn: number | undefined;
  #end: EndEntry | undefined;
  readonly #lost = new Map<number, LostEntry['worker']>();
  readonly #warnings: Warning[] = [];
  /** Shards missing when the last interval was closed. */
  #absent: readonly MissingShard[] = [];
  readonly #samples = new GeneratorSamples();
  #account: Omit<GeneratorAccount, 'samples'> = { generator: null, traffic: null, transport: null };

  constructor(header: JournalHeader, { isStrict }: { isStrict: boolean }) {
    this.#header = header;
    this.#isStrict = isStrict;
  }

  add(read: JournalLine): void {
    if (read.kind === 'torn') this.#torn = read.line;
    else {
      const fault = read.kind === 'damaged' ? 'damaged' : this.#take(read.entry);
      if (fault !== undefined) this.#lists[fault].add(read.line);
    }
  }

  end(): Gathered {
    // Model calls after the latest interval of the load belong to turns that are not in the journal.
    if (this.#end !== undefined) this.#joinModel(Infinity);
    const merged = this.#merger.whole() ?? nothingOf(this.#header);
    const elapsedMs = this.#end?.elapsedMs ?? merged.elapsedMs;
    const end = this.#end && { number: this.#end.intervals, endMs: elapsedMs };
    const missing = this.#there.missing(end);
    const losses = { elapsedMs, hasEnd: this.#end !== undefined, torn: this.#torn, ...this.#lists, missing };
    const account = { ...this.#account, samples: this.#samples.all() };
    const { stop = null, workers = this.#workersUntil(elapsedMs) } = this.#end ?? {};
    return { snapshot: { ...merged, elapsedMs }, account, stop, workers, warnings: this.#warnings, losses };
  }

  /** A shard that was silent when the run died might have reported again: its contribution is missing, as if lost. */
  #workersUntil(elapsedMs: number): EndEntry['workers'] {
    const absent = new Map(this.#absent.map(({ shard, untilMs }) => [shard, untilMs]));
    const workers = this.#header.environment?.workers?.map((worker) => {
      const atMs = absent.get(worker.shard) ?? elapsedMs;
      const lost = atMs < elapsedMs ? { atMs, reason: 'it was silent when the run died' } : null;
      return this.#lost.get(worker.shard) ?? { ...worker, lost };
    });
    return workers ?? null;
  }

  /** Counts an entry, or returns its fault. A misplaced entry is counted anyway. */
  #take(read: unknown): LineFault | undefined {
    const parsed = journalEntrySchema.safeParse(read);
    if (!parsed.success) return isHeader(read) ? 'foreign' : 'damaged';
    const entry = parsed.data;
    if (entry.run !== this.#header.run.id) return 'foreign';
    switch (entry.kind) {
      case 'end':
        return this.#takeEnd(entry);
      case 'lost':
        return this.#takeLost(entry);
      case 'warning':
        return this.#takeWarning(entry);
      case 'interval':
        return this.#takeInterval(entry);
    }
  }

  #takeLost({ worker }: LostEntry): LineFault | undefined {
    const workers = this.#header.environment?.workers ?? [];
    if (!workers.some(({ shard }) => shard === worker.shard)) return 'damaged';
    if (this.#lost.has(worker.shard)) return 'repeated';
    this.#lost.set(worker.shard, worker);
    return this.#end === undefined ? undefined : 'misplaced';
  }

  #takeWarning({ warning }: WarningEntry): LineFault | undefined {
    const isSame = (other: Warning): boolean => other.code === warning.code && other.message === warning.message;
    if (this.#warnings.some(isSame)) return 'repeated';
    this.#warnings.push(warning);
    return this.#end === undefined ? undefined : 'misplaced';
  }

  #takeEnd(entry: EndEntry): LineFault | undefined {
    if (entry.intervals < this.#there.last) return 'damaged';
    if (this.#end !== undefined) return 'repeated';
    this.#end = entry;
    this.#takeAccount(entry, { isLast: true });
    return undefined;
  }

  #takeInterval({ number, elapsedMs, piece, missing = [], ...account }: IntervalEntry): LineFault | undefined {
    if (!this.#isUsable(piece, elapsedMs)) return 'damaged';
    const isMisplaced = number < this.#there.last || this.#end !== undefined;
    if (!this.#there.add(number, { startMs: piece.elapsedMs - piece.intervalMs, endMs: elapsedMs })) return 'repeated';
    if (isOfModel(piece)) this.#later.push(piece);
    else this.#merger.add(piece);
    this.#joinModel(isOfModel(piece) ? this.#loadMs : Math.max(this.#loadMs, piece.elapsedMs));
    const isLast = number === this.#there.last;
    if (isLast && !isOfModel(piece)) this.#absent = missing;
    this.#takeAccount(account, { isLast: isLast && this.#end === undefined });
    return isMisplaced ? 'misplaced' : undefined;
  }

  /** Adds the intervals of model calls that ended by a time. */
  #joinModel(untilMs: number): void {
    this.#loadMs = untilMs;
    for (const piece of this.#later) if (piece.elapsedMs <= untilMs) this.#merger.add(piece);
    this.#later = this.#later.filter(({ elapsedMs }) => elapsedMs > untilMs);
  }

  #takeAccount({ generator, samples, traffic, transport }: GeneratorAccount, { isLast }: { isLast: boolean }): void {
    for (const sample of samples) this.#samples.add(sample);
    if (isLast) this.#account = { generator, traffic, transport };
  }

  #isUsable({ warmUpMs, elapsedMs, intervalMs, intervals, levels }: Snapshot, untilMs: number): boolean {
    const { plan } = this.#header;
    return (
      warmUpMs === plan.warmUpMs &&
      intervalMs <= elapsedMs &&
      elapsedMs <= untilMs &&
      [...intervals, ...levels].every(({ startMs }) => startMs <= elapsedMs) &&
      intervals.every(({ policy }) => policy < plan.retry.length) &&
      (!this.#isStrict || intervals.every(({ series }) => Object.values(series).every(holdsItsCount)))
    );
  }
}

/** Reason why a line is not counted, or is misplaced. */
type LineFault = 'damaged' | 'foreign' | 'repeated' | 'misplaced';

const isOfModel = ({ workers }: Snapshot): boolean => workers.every((worker) => /^model\b/.test(worker));

const isHeader = (read: unknown): boolean => isObject(read) && read['kind'] === 'chat-load/journal';

function holdsItsCount({ hdr, count, shifts }: StoredSeries): boolean {
  try {
    return withoutWaits(readSparse(hdr), shifts).total === count;
  } catch {
    return false;
  }
}

export function nothingOf({ plan }: Pick<JournalHeader, 'plan'>): Snapshot {
  return {
    kind: 'chat-load/snapshot',
    schemaVersion: 1,
    workers: ['main'],
    elapsedMs: 0,
    warmUpMs: plan.warmUpMs,
    intervalMs: shortestIntervalMs,
    totals: [],
    intervals: [],
    levels: [],
    examples: [],
    violations: [],
  };
}
