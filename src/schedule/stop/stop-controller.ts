import { ChatLoadError } from '../../base/errors.ts';
import { between, later, type Clock, type Instant, type Ms } from '../../base/time.ts';
import type { FinishedClass } from '../../protocol/outcome.ts';
import type { Operation } from '../../protocol/protocol.ts';

/**
 * Reason of a run's early end.
 * - `bug`: a bug of chat-load; `scenario_error`: a function of the scenario threw; `caller_error`: a function of the
 *   program that called the library threw; `journal`: the journal could not be written.
 * - `circuit`: the service answered 401 or 403; `token_lost`: a token had expired, and there was no new one for too long.
 * - `gate`: a gate with `abort` failed; `no_success`: no turn was ok for too long; `target_gone`: the target was
 *   unreachable for too long.
 * - `cap`: a cap was reached. The cap on sessions ends the run like a number of sessions; other caps halt it.
 * - `target_unfit`: the target answers, but no answer was ok. `outcome`: class of the quoted answer; `elsewhere`:
 *   description of the protocols that it answers. `checks_failed`: the first replies all failed a check.
 * - `model_lost`: the process of the model service ended by itself.
 * - `fleet_lost`: every shard was lost, or all were unreachable for too long.
 * - `signal`: `name` is the system's signal, such as SIGTERM, or another source.
 */
export type RunStop =
  | { kind: 'bug'; error: unknown }
  | StopOf<'scenario_error' | 'caller_error' | 'journal', { error: ChatLoadError }>
  | StopOf<PlainStop, { why: string }>
  | { kind: 'cap'; of: 'turns' | 'sessions' | 'cost'; why: string }
  | { kind: 'target_unfit'; operation: Operation; outcome: FinishedClass; why: string; elsewhere?: string }
  | { kind: 'signal'; name: string | undefined };

/** A union with one member for each kind. */
type StopOf<Kind, Facts> = Kind extends string ? { kind: Kind } & Facts : never;
type PlainStop =
  | 'circuit'
  | 'token_lost'
  | 'max_duration'
  | 'gate'
  | 'no_success'
  | 'target_gone'
  | 'checks_failed'
  | 'fleet_lost'
  | 'model_lost';

/** Meaning of a run's two signals. */
type Aborting = { kind: 'signal' } | { kind: 'caller_error' };

/** Reason and time, since the run's start. */
export type StopWithInstant = RunStop & { atMs: Ms };

/** External stop requests. */
export interface FollowedSignals {
  /** The first signal: no new session starts; active ones may finish within the grace period. */
  drain: AbortSignal;
  /** The second: everything in progress is cut. */
  cut: AbortSignal;
  /** Nothing more is sent, and exchanges in flight end by themselves. Such an end is not a separate reason. */
  halt?: AbortSignal | undefined;
}

const levels = {
  bug: 'cut',
  scenario_error: 'cut',
  circuit: 'halt',
  token_lost: 'halt',
  cap: 'halt',
  fleet_lost: 'cut',
  model_lost: 'cut',
  max_duration: 'drain',
  journal: 'drain',
  gate: 'halt',
  no_success: 'halt',
  target_gone: 'halt',
  target_unfit: 'halt',
  checks_failed: 'halt',
} as const;

/** Stops that are normal ends, which must not hide that nothing worked. */
const normalEnds: readonly RunStop['kind'][] = ['cap', 'max_duration'];
const unusable: readonly RunStop['kind'][] = ['target_unfit', 'checks_failed'];

/** Ends a run: at the end of its duration, on signals, a broken circuit and errors. Raises the stop level and keeps the reason. Created when the run starts. */
export class StopController {
  readonly stopSignal = new StopSignal();
  /** The first reason, except that a bug outranks every other reason, and an unusable target outranks normal ends. */
  reason: StopWithInstant | undefined;
  readonly #clock: Clock;
  readonly #startedAt: Instant;
  readonly #gracePeriodMs: Ms;
  #cancelCut: (() => void) | undefined;
  #isClosed = false;

  constructor(clock: Clock, gracePeriodMs: Ms, startedAt = clock.now()) {
    this.#clock = clock;
    this.#startedAt = startedAt;
    this.#gracePeriodMs = gracePeriodMs;
  }

  end(reason: Exclude<RunStop, Aborting>): void {
    if (this.#isClosed) return;
    // Sessions in their grace period end soon by themselves.
    if (reason.kind === 'max_duration' && this.#cancelCut !== undefined) return;
    if (this.#isOutranked(reason)) this.reason = this.#withInstant(reason);
    if (reason.kind === 'max_duration' || reason.kind === 'journal') this.drain();
    else this.stopSignal.apply(reason.kind === 'cap' && reason.of === 'sessions' ? 'drain' : levels[reason.kind]);
  }

  /** Ends the start of sessions; sessions still active after the grace period are cut. */
  drain(): void {
    this.stopSignal.apply('drain');
    this.#cancelCut ??= this.#clock.wakeAt(later(this.#clock.now(), this.#gracePeriodMs), () =>
      this.stopSignal.apply('cut'),
    );
  }

  /** Follows the signals of a run, the two that end it by the reasons that they were aborted with; the returned function stops that. */
  follow({ drain, cut, halt }: FollowedSignals): () => void {
    const stops = [
      onAbort(drain, () => {
        this.reason ??= this.#withInstant(stopBy(drain));
        this.drain();
      }),
      onAbort(cut, () => {
        this.reason ??= this.#withInstant(stopBy(cut));
        this.stopSignal.apply('cut');
      }),
      ...(halt === undefined ? [] : [onAbort(halt, () => this.stopSignal.apply('halt'))]),
    ];
    return () => stops.forEach((stop) => stop());
  }

  /** Cancels all timers: the run is over. */
  close(): void {
    this.#isClosed = true;
    this.#cancelCut?.();
  }

  #isOutranked({ kind }: RunStop): boolean {
    if (this.reason === undefined || kind === 'bug') return true;
    return unusable.includes(kind) && normalEnds.includes(this.reason.kind);
  }

  #withInstant(reason: RunStop): StopWithInstant {
    return { ...reason, atMs: between(this.#startedAt, this.#clock.now()) };
  }
}

/** Abort reason that acts like a signal. */
export class StopRequest {
  /** Source of the request, as in "stopped by Drain on the live page". */
  readonly by: string;

  constructor(by: string) {
    this.by = by;
  }
}

/** Returns the reason of an abort: an error is a bug in the calling code; the command aborts with the name of a signal. */
export function stopBy({ reason }: { reason: unknown }): RunStop {
  if (reason instanceof StopRequest) return { kind: 'signal', name: reason.by };
  if (reason instanceof ChatLoadError) return { kind: 'caller_error', error: reason };
  return { kind: 'signal', name: typeof reason === 'string' && /^SIG[A-Z]+$/.test(reason) ? reason : undefined };
}

/** Calls back when a signal is aborted, at once if it is; the returned function cancels that. */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  if (signal.aborted) act();
  else signal.addEventListener('abort', act, { once: true });
  return () => signal.removeEventListener('abort', act);
}

/**
 * Level of a stop, each including those before it: `drain`: no new session starts; `halt`: nothing more is sent,
 * exchanges in flight end by themselves; `cut`: exchanges in flight are aborted.
 */
export type StopLevel = 'none' | 'drain' | 'halt' | 'cut';

const order: Readonly<Record<StopLevel, number>> = { none: 0, drain: 1, halt: 2, cut: 3 };

/** The only object that decides whether a run continues. Its level only rises. */
export class StopSignal {
  #level: StopLevel = 'none';
  readonly #listeners = new Map<() => void, StopLevel>();

  /** Raises the level; a level not above the present one changes nothing. */
  apply(level: StopLevel): void {
    if (order[level] <= order[this.#level]) return;
    this.#level = level;
    for (const [listener, from] of [...this.#listeners]) if (this.reached(from)) this.#call(listener);
  }

  reached(level: StopLevel): boolean {
    return order[this.#level] >= order[level];
  }

  /** Calls back once, when `level` is reached (at once if it has been); the returned function cancels that. */
  when(level: StopLevel, listener: () => void): () => void {
    if (this.reached(level)) listener();
    else this.#listeners.set(listener, level);
    return () => this.#listeners.delete(listener);
  }

  #call(listener: () => void): void {
    this.#listeners.delete(listener);
    listener();
  }
}
