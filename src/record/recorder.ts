import { between, instant, ms, type Instant, type Ms } from '../base/time.ts';
import type { Plan } from '../plan/plan.ts';
import type { Note, NoteRule } from '../protocol/notes.ts';
import type { NotStarted } from '../schedule/schedule-context.ts';
import type {
  AttemptRecord,
  GiveUp,
  IntegrityRecord,
  Observer,
  RetryRecord,
  SessionOrigin,
  SessionRecord,
  TurnRecord,
} from '../session/observer.ts';
import type { PlannedObjectives } from '../session/session-tally.ts';
import { Archive, takeEnded } from './archive.ts';
import { BoundedNames } from './bounded-names.ts';
import {
  countAmbiguity,
  countAttempt,
  countCreateAttempt,
  countIntegrity,
  countTurn,
  sendWait,
  type CountingRules,
} from './counting.ts';
import { Examples, keepText } from './examples.ts';
import { HistogramPool } from './dense-histogram.ts';
import { ReadDelays } from './read-delays.ts';
import { shortestIntervalMs, startOf } from './interval-width.ts';
import { Partition, totalsOf, type PartitionTotals } from './partition.ts';
import { Gauges } from './gauges.ts';
import { LiveReader, type Live } from './live.ts';
import type { LiveTally } from './tally.ts';
import type { SeriesName } from './series.ts';
import { countRefused, countSession } from './session-sums.ts';
import type { Snapshot } from './snapshot.ts';
import type { Defer } from './interval-store.ts';
import { Violations } from './violations.ts';

export interface RecorderOptions {
  plan: Pick<Plan, 'warmUpMs' | 'load' | 'retry' | 'keepTexts'> & PlannedObjectives;
  /** Start of the run, from which intervals and the warm-up are counted. */
  startedAt: Instant;
  /** Name that distinguishes the snapshots of several workers of one run. */
  worker?: string;
  redact?: (text: string) => string;
  /** Returns the longest time that what was read at an instant may have waited for the event loop; absent: none is known. */
  waited?: (at: Instant) => Ms;
  defer?: Defer;
  /** Called with the snapshot of each interval, a little over a second after its end. Merged, these snapshots cover the whole run. */
  onInterval?: (piece: Snapshot) => void;
}

export interface Recorder extends Observer {
  /** A probe that was sent at an instant of another thread, and received at `readAt` by the event loop. */
  probed(sentAt: Instant, readAt: Instant): void;
  /** Archives ended intervals; to be called about once per second. */
  roll(now: Instant): void;
  live(now: Instant): Live;
  /**
   * Returns everything recorded so far by phase and policy, without intervals. Takes about a tenth of a millisecond per
   * non-empty series, whatever the length of the run: for exporters, not for every turn.
   */
  totals(): PartitionTotals[];
  /**
   * Returns the sums of the archived intervals, up to a second or two ago: counters and the requested series, without the
   * intervals. Takes half a millisecond per series and partition, whatever the length of the run.
   */
  closed(wanted: readonly SeriesName[]): Snapshot;
  /** Returns everything recorded up to `now`. Takes some milliseconds per hundred intervals; recording may continue. */
  snapshot(now: Instant): Snapshot;
}

/** Maximum number of different unreadable waits, and of marks of caches, that are counted separately. */
const maxNames = 20;

/** Read delays concern the process, not a session: they are recorded with the first policy. */
const anyPolicy = { policy: 0 };

export function createRecorder(options: RecorderOptions): Recorder {
  return new IntervalRecorder(options);
}

/**
 * Adds each observation to one tally, by its phase (warm-up or measured), its session's retry policy and the interval
 * in which it ended. Sums over tallies are computed when an interval is archived or a snapshot is taken.
 *
 *     observation -> partition (phase, policy) -> open tally (interval) -> archive -> totals, closed intervals -> snapshot
 */
class IntervalRecorder implements Recorder {
  readonly #startedAt: Instant;
  readonly #warmUpMs: number;
  readonly #plan: RecorderOptions['plan'];
  readonly #redact: (text: string) => string;
  readonly #waited: (at: Instant) => Ms;
  readonly #rules: CountingRules;
  readonly #pool = new HistogramPool();
  /** The warm-up of every policy, then the measured part of every policy. */
  readonly #partitions: readonly Partition[];
  readonly #policies: number;
  readonly #levels: Gauges;
  readonly #examples = new Examples();
  /** Rules with an example of a reply. */
  readonly #noted = new Set<NoteRule>();
  readonly #violations = new Violations();
  readonly #archive: Archive;
  readonly #live = new LiveReader();
  readonly #readDelays: ReadDelays;
  /** End of the latest turn: a probe sent before it was sent while a turn was in flight. */
  #lastTurnEnd = instant(-Infinity);
  /** Time up to which intervals have been archived. */
  #closedMs = 0;

  constructor({ plan, startedAt, worker = 'main', defer = setImmediate, onInterval, ...options }: RecorderOptions) {
    this.#startedAt = startedAt;
    this.#warmUpMs = plan.warmUpMs;
    this.#plan = plan;
    this.#redact = options.redact ?? ((text) => text);
    this.#waited = options.waited ?? (() => ms(0));
    this.#rules = {
      objectives: plan,
      redact: this.#redact,
      waited: this.#waited,
      unread: new BoundedNames(maxNames),
      marks: new BoundedNames(maxNames),
    };
    this.#policies = plan.retry.length;
    this.#partitions = [true, false].flatMap((warmUp) =>
      plan.retry.map((_, policy) => new Partition(this.#pool, { warmUp, policy })),
    );
    this.#levels = new Gauges(plan.warmUpMs);
    this.#archive = new Archive({ workers: [worker], warmUpMs: plan.warmUpMs, defer, onInterval });
    this.#readDelays = new ReadDelays({
      defer: setImmediate,
      record: (waited, delay, at) => {
        const { counters, series } = this.#tally(at, anyPolicy, at);
        counters.readDelays.replies++;
        series.replyDelay.record(ms(waited + delay), waited);
      },
    });
  }

  sessionStarted(session: SessionOrigin): void {
    const { startedAt, due } = session;
    const { counters, series } = this.#tally(startedAt, session, startedAt);
    counters.sessions.started++;
    if (this.#plan.load.model === 'open') series.sessionLateness.record(between(due, startedAt));
    this.#levels.changeSessions(1, this.#elapsed(startedAt));
  }

  sessionCreated(session: SessionOrigin, createdAt: Instant): void {
    const { counters, series } = this.#tally(session.startedAt, session, createdAt);
    counters.sessions.created++;
    series.sessionCreate.record(between(session.startedAt, createdAt), this.#waited(createdAt));
  }

  sessionBegun(session: SessionOrigin): void {
    const { counters } = this.#tally(session.startedAt, session, session.startedAt);
    counters.sessions.created++;
    counters.sessions.uncreated++;
  }

  turnSent(session: SessionOrigin, ready: Instant, sentAt: Instant): void {
    const { counters, series } = this.#tally(sentAt, session, sentAt);
    counters.turnFlow.sent++;
    const late = between(ready, sentAt);
    series.lateness.record(late, sendWait(late, sentAt, this.#waited));
    if (this.#isWarmUp(session.startedAt) && !this.#isWarmUp(sentAt))
      this.#tally(session.startedAt, session, sentAt).counters.turnFlow.carried_over++;
    this.#levels.changeTurns(1, this.#elapsed(sentAt));
  }

  attempt(record: AttemptRecord): void {
    const tally = this.#tally(record.countedFrom, record.session, record.exchange.endedAt);
    this.#readDelays.replied(this.#waited(record.exchange.endedAt));
    if (record.operation === 'message') countAttempt(tally, record, this.#rules);
    else countCreateAttempt(tally, record, this.#rules);
    if (record.outcome !== 'ok') this.#offerExample(record);
    else if (record.notes !== undefined) this.#offerNotes(record, record.notes);
  }

  integrity(record: IntegrityRecord): void {
    const { session, countedFrom, endedAt } = record;
    countIntegrity(this.#tally(countedFrom, session, endedAt), record);
    if (record.failed !== undefined) this.#violations.offer(record, this.#elapsed(endedAt));
  }

  retry(record: RetryRecord): void {
    const { session, operation, countedFrom, cause, plannedMs, actualMs, retryAfter, sentAt } = record;
    const tally = this.#tally(countedFrom, session, sentAt);
    const { counters, series } = tally;
    countAmbiguity(tally, record);
    if (operation === 'create') {
      counters.createRetries[cause]++;
      counters.createRetryAfter[retryAfter]++;
      return;
    }
    counters.retries[cause]++;
    counters.retryAfter[retryAfter]++;
    if (record.afterContent === true) counters.streams.retriesAfterContent++;
    series.backoff.record(plannedMs);
    series.backoffActual.record(actualMs);
  }

  createGaveUp(session: SessionOrigin, why: GiveUp, endedAt: Instant): void {
    this.#tally(session.startedAt, session, endedAt).counters.createGaveUp[why]++;
  }

  turn(record: TurnRecord): void {
    const { session, firstSentAt, endedAt } = record;
    countTurn(this.#tally(firstSentAt, session, endedAt), record, this.#rules);
    this.#levels.changeTurns(-1, this.#elapsed(endedAt));
    this.#lastTurnEnd = endedAt;
  }

  probed(sentAt: Instant, readAt: Instant): void {
    if (this.#levels.turnsInFlight === 0 && this.#lastTurnEnd < sentAt) return;
    const delay = between(sentAt, readAt);
    const { counters, series } = this.#tally(sentAt, anyPolicy, readAt);
    counters.readDelays.sampled++;
    const waited = ms(Math.min(delay, this.#waited(readAt)));
    series.readDelay.record(delay, waited);
    this.#readDelays.probed(ms(delay - waited), readAt);
  }

  sessionEnded({ session, end, endedAt, ...turns }: SessionRecord): void {
    const { counters } = this.#tally(session.startedAt, session, endedAt);
    counters.sessions[end]++;
    if (end === 'completed' || end === 'failed') countSession(counters.sessionSums, turns.tally);
    if (end === 'create_failed') countRefused(counters.sessionSums, turns.plannedTurns);
    if (end !== 'create_failed' && end !== 'create_cut') counters.turnFlow.planned += turns.plannedTurns;
    counters.turns.skipped_prior_failure += turns.skippedPriorFailure;
    counters.turns.skipped_run_end += turns.skippedRunEnd;
    this.#levels.changeSessions(-1, this.#elapsed(endedAt));
  }

  socketsChanged(by: 1 | -1, at: Instant): void {
    this.#levels.changeSockets(by, this.#elapsed(at));
  }

  unsolicitedFrame(session: SessionOrigin, at: Instant): void {
    this.#tally(session.startedAt, session, at).counters.exchanges.unsolicited++;
  }

  sessionDropped(due: Instant, policy: number): void {
    this.#tally(due, { policy }, due).counters.sessions.dropped++;
  }

  sessionsNotStarted({ count, policy, becameDue, due }: NotStarted): void {
    const { sessions } = this.#tally(due, { policy }, due).counters;
    sessions.not_started += count;
    if (becameDue) sessions.not_started_due += count;
  }

  roll(now: Instant): void {
    const elapsedMs = this.#elapsed(now);
    // The last ended interval stays open for one more second: its events may be reported a little later.
    const beforeMs = startOf(elapsedMs, shortestIntervalMs) - shortestIntervalMs;
    if (beforeMs <= this.#closedMs) return;
    this.#close(elapsedMs, beforeMs);
    this.#closedMs = beforeMs;
    this.#archive.grow(elapsedMs);
  }

  live(now: Instant): Live {
    return this.#live.read(this.#elapsed(now), this.#partitions, this.#levels);
  }

  totals(): PartitionTotals[] {
    return this.#partitions.map((partition) => totalsOf(partition, this.#archive.waiting(partition)));
  }

  closed(wanted: readonly SeriesName[]): Snapshot {
    return this.#archive.closed(this.#closedMs, this.#partitions, wanted);
  }

  snapshot(now: Instant): Snapshot {
    const elapsedMs = this.#elapsed(now);
    this.#readDelays.settle();
    this.#levels.cut(elapsedMs);
    this.#close(elapsedMs, Infinity);
    return this.#archive.snapshot(elapsedMs, this.#partitions, {
      examples: this.#examples.all(),
      violations: this.#violations.all(),
    });
  }

  /** Returns the tally of an event: by the instant it counts from, its policy, and its end. */
  #tally(countedFrom: Instant, { policy }: { policy: number }, endedAt: Instant): LiveTally {
    const partition = this.#partitions[(this.#isWarmUp(countedFrom) ? 0 : this.#policies) + policy];
    if (partition === undefined) throw new Error(`the plan has no retry policy ${String(policy)}`);
    return partition.at(this.#elapsed(endedAt));
  }

  #elapsed(at: Instant): number {
    return between(this.#startedAt, at);
  }

  #isWarmUp(countedFrom: Instant): boolean {
    return countedFrom - this.#startedAt < this.#warmUpMs;
  }

  /** Offers an example of the first reply with each note. */
  #offerNotes(record: AttemptRecord, notes: readonly Note[]): void {
    for (const { rule, detail } of notes) {
      if (this.#noted.has(rule)) continue;
      this.#noted.add(rule);
      this.#offerExample({ ...record, detail: detail === '' ? rule : `${rule}: ${detail}` });
    }
  }

  #offerExample({ session, operation, turn, outcome, exchange, detail, message, traceId }: AttemptRecord): void {
    const atMs = this.#elapsed(exchange.endedAt);
    if (!this.#examples.wants(outcome, atMs)) return;
    const { status, body } = exchange;
    const keep = (text: string): string => keepText(text, this.#redact);
    const example = {
      outcome,
      operation,
      session: session.number,
      turn,
      status,
      atMs,
      detail,
      traceId: traceId ?? null,
      protocol: exchange.isHttp2 === true ? ('HTTP/2' as const) : ('HTTP/1.1' as const),
      texts: this.#plan.keepTexts ? { message: keep(message), reply: keep(body) } : null,
    };
    this.#examples.keep(example, this.#redact);
  }

  #close(elapsedMs: number, beforeMs: number): void {
    const levels = this.#levels.takeEnded(elapsedMs, beforeMs);
    const takeKept = () => ({ examples: this.#examples.takeFresh(), violations: this.#violations.takeFresh() });
    for (const ended of takeEnded(this.#partitions, levels, beforeMs, takeKept)) this.#archive.put(ended);
  }
}
