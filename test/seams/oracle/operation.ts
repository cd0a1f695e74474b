import type { RetryPolicy } from '../../../src/plan/plan.ts';
import type { AttemptClass } from '../../../src/protocol/outcome.ts';
import { type Answer, type Asked, wallStart } from '../service-model.ts';
import type { RunPart } from './facts.ts';
import type { World } from './world.ts';

export interface Origin {
  number: number;
  policy: number;
  due: number;
  startedAt: number;
}

/** Outcome of a creation or a turn. */
export interface Concluded {
  outcome: AttemptClass;
  attempts: number;
  /** `null`: it was ok, or aborted in an attempt. */
  gaveUp: 'final' | 'exhausted' | 'retry_after_too_long' | 'budget' | 'run_end' | null;
}

/**
 * A creation (turn 0) or a turn with all its attempts, from its first send at the present instant (semantics 4, 5). All of
 * it is counted at that instant.
 */
export class ForeseenOperation {
  readonly #world: World;
  readonly #origin: Origin;
  readonly #turn: number;
  readonly #from: number;
  readonly #then: (concluded: Concluded) => void;
  #attempts = 0;

  constructor(world: World, { origin, turn }: { origin: Origin; turn: number }, then: (concluded: Concluded) => void) {
    this.#world = world;
    this.#origin = origin;
    this.#turn = turn;
    this.#from = world.timeline.now;
    this.#then = then;
    this.#send();
  }

  get #isTurn(): boolean {
    return this.#turn > 0;
  }

  get #policy(): RetryPolicy {
    const policy = this.#world.given.plan.retry[this.#origin.policy];
    if (policy === undefined) throw new Error('there is no such policy');
    return policy;
  }

  #note(what: string, value = 1): void {
    const { policy } = this.#origin;
    this.#world.note(this.#isTurn ? what : `create.${what}`, { from: this.#from, policy, value });
  }

  #noteWait(value: number): void {
    const { policy } = this.#origin;
    this.#world.note(this.#isTurn ? 'time.cut' : 'time.create.cut', { from: this.#from, policy, value });
  }

  /** Durations are kept in whole microseconds, except those of creations. */
  #time(what: string, lengthMs: number): void {
    if (this.#isTurn) this.#note(`time.${what}`, lengthMs);
  }

  #send(): void {
    const { timeline, end, budgets, given } = this.#world;
    const sentAt = timeline.now;
    this.#attempts += 1;
    budgets[this.#origin.policy]?.sent(sentAt);
    const answer = given.model(this.#asked(sentAt));
    const unCut = end.onCut(() => {
      cancel();
      this.#ended('aborted', answer, sentAt);
    });
    const cancel = timeline.at(sentAt + answer.afterMs, () => {
      unCut();
      this.#ended(answer.outcome, answer, sentAt);
    });
  }

  #asked(at: number): Asked {
    if (this.#isTurn)
      return { operation: 'message', session: this.#origin.number, turn: this.#turn, attempt: this.#attempts, at };
    return { operation: 'create', ordinal: ++this.#world.creations, at };
  }

  #ended(outcome: AttemptClass, answer: Answer, sentAt: number): void {
    const { timeline, watch, end } = this.#world;
    this.#note(`attempt.${outcome}`);
    if (outcome !== 'aborted') this.#measure(outcome, answer, timeline.now - sentAt);
    // Cut without an answer, or with failures before.
    else if (this.#attempts === 1) this.#noteWait(timeline.now - sentAt);
    else this.#note('cutAfterFailure');
    watch.attemptEnded({ isTurn: this.#isTurn, outcome, sentAt, endedAt: timeline.now });
    if (isRefusal(outcome)) end.because('circuit').halt();
    if (outcome === 'ok' || outcome === 'aborted') this.#conclude(outcome, null);
    else this.#decide(outcome, answer.retryAfter);
  }

  #measure(outcome: AttemptClass, { firstByteAfterMs, hasHead, connectMs, cost }: Answer, tookMs: number): void {
    this.#time(outcome === 'ok' ? 'attempt.ok' : 'attempt.failed', tookMs);
    if (firstByteAfterMs !== undefined && hasHead) this.#time('firstByte', firstByteAfterMs);
    if (connectMs !== undefined) this.#time('connect', connectMs);
    else if (outcome === 'connection_lost' && firstByteAfterMs === undefined) this.#note('stale');
    // A reply that keeps the contract has its price, whether it passes the checks or not.
    if (!this.#isTurn || (outcome !== 'ok' && outcome !== 'check_failed') || this.#world.given.plan.cost === null)
      return;
    this.#world.caps.spend(cost);
    this.#note('cost', cost);
  }

  /** Retry after a wait, or not and why. */
  #decide(outcome: AttemptClass, header: string | undefined): void {
    const { maxAttempts, classes, respectRetryAfter, maxRetryAfterMs, baseMs, factor, capMs } = this.#policy;
    const { timeline, end, budgets } = this.#world;
    const asked = readRetryAfter(header, timeline.now);
    const obeyedMs = respectRetryAfter && typeof asked === 'number' ? asked : 0;
    if (isRefusal(outcome) || !classes.includes(outcome)) return this.#conclude(outcome, 'final');
    if (this.#attempts >= maxAttempts) return this.#conclude(outcome, 'exhausted');
    if (obeyedMs > maxRetryAfterMs) return this.#conclude(outcome, 'retry_after_too_long');
    if (budgets[this.#origin.policy]?.grants(timeline.now) === false) return this.#conclude(outcome, 'budget');
    if (end.isHalted) return this.#conclude(outcome, 'run_end');
    const backoffMs = Math.min(capMs, baseMs * factor ** (this.#attempts - 1));
    this.#backOff(outcome, { plannedMs: Math.max(backoffMs, obeyedMs), asked });
  }

  #backOff(cause: AttemptClass, { plannedMs, asked }: { plannedMs: number; asked: RetryAfter }): void {
    const { timeline, caps } = this.#world;
    const from = timeline.now;
    waitUntil(this.#world, from + plannedMs, (inTime) => {
      if (!inTime || !(this.#isTurn ? caps.message() : caps.creation())) return this.#conclude('aborted', 'run_end');
      const waitedMs = timeline.now - from;
      this.#note(`retry.${cause}`);
      this.#note(`retryAfter.${typeof asked !== 'number' ? asked : waitedMs >= asked ? 'obeyed' : 'violated'}`);
      this.#time('backoff', plannedMs);
      this.#time('backoffActual', waitedMs);
      this.#send();
    });
  }

  #conclude(outcome: AttemptClass, gaveUp: Concluded['gaveUp']): void {
    const isRetried = this.#policy.classes.some((name) => name === outcome);
    const unusable = this.#world.watch.finished({ isTurn: this.#isTurn, outcome, isRetried });
    if (unusable !== null) this.#world.end.because(unusable).halt();
    if (gaveUp !== null) this.#note(`gaveUp.${gaveUp}`);
    const isCut = gaveUp === 'run_end' && (outcome === 'aborted' || !this.#isTurn);
    if (isCut) this.#note('cutAfterFailure');
    this.#then({ outcome, attempts: this.#attempts, gaveUp });
  }
}

/** Waits until an instant; the run's halt ends the wait at once. */
export function waitUntil({ timeline, end }: World, at: number, then: (inTime: boolean) => void): void {
  if (end.isHalted) return then(false);
  const unHalt = end.onHalt(() => {
    cancel();
    then(false);
  });
  const cancel = timeline.at(at, () => {
    unHalt();
    then(true);
  });
}

/** A span that begins now; the returned function ends it. */
export function beginStretch({ stretches, timeline }: World, of: RunPart['of']): () => void {
  const stretch: RunPart = { of, from: timeline.now, until: Infinity };
  stretches.push(stretch);
  return () => (stretch.until = timeline.now);
}

const isRefusal = (outcome: AttemptClass): boolean => outcome === 'unauthorized' || outcome === 'forbidden';

/** Requested delay in milliseconds, or why it is unknown. */
type RetryAfter = number | 'absent' | 'invalid';

function readRetryAfter(header: string | undefined, now: number): RetryAfter {
  if (header === undefined) return 'absent';
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const inMs = Date.parse(header) - (wallStart + now);
  return inMs > 0 ? inMs : 'invalid';
}
