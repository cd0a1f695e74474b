import { instant, ms, type Instant, type Ms } from '../../src/base/time.ts';
import type { Plan } from '../../src/plan/plan.ts';
import { randomOf, type Random } from '../../src/base/random.ts';
import { resolveScenario } from '../../src/plan/resolve-scenario.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import type { GiveUp, Observer, SessionOrigin, TurnRecord } from '../../src/session/observer.ts';
import type { ContentTimes } from '../../src/session/send.ts';
import type { Operation } from '../../src/protocol/protocol.ts';
import { exchangeOf } from './session-records.ts';
import { newSessionTally, tallyTurn } from '../../src/session/session-tally.ts';
import { checkNames, type CheckName, type TurnFaults } from '../../src/session/integrity/finding.ts';
import { isBrokenOff, traitsOf, type FinishedClass, type SessionEnd } from '../../src/protocol/outcome.ts';

/** A call of an observer, with its instant. */
export interface Told {
  at: number;
  session: number;
  tell: (observer: Observer) => void;
}

interface SyntheticOptions {
  sessions: number;
  seed?: number;
  /** Sessions are due over this time, in milliseconds. */
  spreadMs?: number;
  startedAt?: number;
  policies?: number;
  /** Whether replies are streamed and report token usage, and some users abandon them. */
  isStreamed?: boolean;
}

/** A plan for synthetic runs. */
export function planFor(scenario: Partial<Scenario> = {}): Plan {
  return resolveScenario(
    { name: 'synthetic', messages: ['Hi'], sessions: 1, ...scenario },
    { flags: {}, environment: {} },
  ).plan;
}

const usage = { inputTokens: 40, outputTokens: 12 };
const noObjectives = { objectiveMs: null, objectiveFirstTokenMs: null, objectiveGapMs: null };

/** State of an attempt that is being retried. */
interface FailedAttempt {
  firstSentAt: Instant;
  failedAt: Instant;
  plannedMs: Ms;
  cause: FinishedClass;
  afterContent: boolean;
}

const failures = ['rate_limited', 'internal_error', 'provider_error', 'connection_lost', 'timed_out'] as const;
const finals = ['agent_not_found', 'contract_broken', 'bad_request'] as const;

/**
 * All calls of an observer in a run with every kind of event: sessions that are not created, cut or dropped, turns that
 * fail, are retried or aborted, replies that break a check. In the order of time, and the same for the same options.
 */
export function syntheticRun(options: SyntheticOptions): Told[] {
  const told: Told[] = [];
  for (let number = 1; number <= options.sessions; number++) new SyntheticSession(told, number, options).play();
  return told.toSorted((a, b) => a.at - b.at);
}

/** Replays a run, or a part of it, to observers. */
export function tellAll(told: readonly Told[], ...observers: Observer[]): void {
  for (const each of told) for (const observer of observers) each.tell(observer);
}

class SyntheticSession {
  readonly #told: Told[];
  readonly #random: Random;
  /** A separate generator, so that findings of the guard change no other draw. */
  readonly #guardRandom: Random;
  /** Separate generator for the times of streamed replies; `undefined` for non-streamed replies. */
  readonly #contentRandom: Random | undefined;
  readonly #session: SessionOrigin;
  readonly #tally = newSessionTally();
  #now: number;
  #hadAmbiguousRetry = false;

  constructor(told: Told[], number: number, options: SyntheticOptions) {
    const { seed = 1, spreadMs = 5000, startedAt = 0, policies = 1, isStreamed = false } = options;
    this.#told = told;
    this.#random = randomOf(seed, number);
    this.#guardRandom = randomOf(seed, number, 1);
    this.#contentRandom = isStreamed ? randomOf(seed, number, 2) : undefined;
    const due = startedAt + this.#random() * spreadMs;
    this.#now = due + this.#random() * 3;
    this.#session = {
      number,
      policy: (number - 1) % policies,
      due: instant(due),
      startedAt: instant(this.#now),
    };
  }

  play(): void {
    const { policy, due } = this.#session;
    const fate = this.#random();
    if (fate < 0.03) return this.#tell(due, (observer) => observer.sessionDropped(due, policy));
    if (fate < 0.06)
      return this.#tell(due, (observer) =>
        observer.sessionsNotStarted({ count: 1, policy, becameDue: fate < 0.045, due }),
      );
    this.#tell(this.#now, (observer) => observer.sessionStarted(this.#session));
    const end = this.#operation('create', 0, this.#session.startedAt);
    if (end.outcome !== 'ok') {
      const { gaveUp, endedAt } = end;
      if (gaveUp !== undefined)
        this.#tell(endedAt, (observer) => observer.createGaveUp(this.#session, gaveUp, endedAt));
      const wasCut = end.outcome === 'aborted' || gaveUp === 'run_end';
      return this.#end(wasCut ? 'create_cut' : 'create_failed', { planned: 3, played: 0 });
    }
    this.#tell(end.endedAt, (observer) => observer.sessionCreated(this.#session, end.endedAt));
    this.#turns();
  }

  #turns(): void {
    const planned = 1 + Math.floor(this.#random() ** 3 * 24);
    for (let turn = 1; turn <= planned; turn++) {
      const ready = instant(this.#now);
      this.#now += this.#random() * 2;
      const firstSentAt = instant(this.#now);
      this.#tell(firstSentAt, (observer) => observer.turnSent(this.#session, ready, firstSentAt));
      const { outcome, attempts, backoffMs, gaveUp, endedAt, content } = this.#operation('message', turn, firstSentAt);
      const due = turn === 1 ? this.#session.due : ready;
      const record: TurnRecord = {
        session: this.#session,
        turn,
        due,
        ready,
        firstSentAt,
        endedAt,
        outcome,
        attempts,
        backoffMs,
        content,
        usage: outcome === 'ok' && content !== undefined ? usage : undefined,
        gaveUp,
      };
      tallyTurn(this.#tally, record, { lostMs: backoffMs, costNanos: 0, objectives: noObjectives });
      this.#tell(endedAt, (observer) => observer.turn(record));
      if (outcome === 'aborted' || gaveUp === 'run_end') return this.#end('cut', { planned, played: turn });
      if (outcome !== 'ok' && outcome !== 'abandoned') return this.#end('failed', { planned, played: turn });
      this.#now += this.#random() * 300;
    }
    this.#end('completed', { planned, played: planned });
  }

  #operation(operation: Operation, turn: number, firstSentAt: Instant) {
    let backoffMs = ms(0);
    for (let attempts = 1; ; attempts++) {
      const exchange = this.#exchange(operation, { turn, attempt: attempts, countedFrom: firstSentAt });
      const { outcome, endedAt, content } = exchange;
      const end = { outcome, attempts, backoffMs, endedAt, content, gaveUp: undefined as GiveUp | undefined };
      if (outcome === 'ok' || isBrokenOff(outcome)) return end;
      if (!(failures as readonly string[]).includes(outcome)) return { ...end, gaveUp: 'final' as const };
      if (attempts === 4) return { ...end, gaveUp: 'exhausted' as const };
      if (this.#random() < 0.05) return { ...end, gaveUp: 'run_end' as const };
      const plannedMs = ms(this.#random() * 200);
      this.#now += plannedMs + this.#random();
      if (this.#random() < 0.05)
        return { ...end, outcome: 'aborted' as const, endedAt: instant(this.#now), gaveUp: 'run_end' as const };
      backoffMs = ms(backoffMs + plannedMs);
      this.#retry(operation, {
        firstSentAt,
        failedAt: endedAt,
        plannedMs,
        cause: outcome,
        afterContent: content !== undefined,
      });
    }
  }

  #retry(operation: Operation, { failedAt, cause, afterContent, ...rest }: FailedAttempt): void {
    const sentAt = instant(this.#now);
    const actualMs = ms(sentAt - failedAt);
    const retryAfter =
      (['obeyed', 'violated', 'absent', 'invalid'] as const)[Math.floor(this.#random() * 4)] ?? 'absent';
    const { firstSentAt: countedFrom, plannedMs } = rest;
    const session = this.#session;
    this.#hadAmbiguousRetry ||= operation === 'message' && traitsOf(cause).ambiguous;
    this.#tell(sentAt, (observer) =>
      observer.retry({
        session,
        operation,
        countedFrom,
        cause,
        plannedMs,
        actualMs,
        retryAfter,
        sentAt,
        afterContent,
      }),
    );
  }

  #exchange(
    operation: Operation,
    { turn, attempt, countedFrom }: { turn: number; attempt: number; countedFrom: Instant },
  ) {
    const sentAt = instant(this.#now);
    const luck = this.#random();
    this.#now += 20 * Math.exp(this.#random() * 3);
    const endedAt = instant(this.#now);
    const failed = this.#random();
    const drawn =
      luck < 0.75
        ? ('ok' as const)
        : luck < 0.93
          ? (failures[Math.floor(failed * failures.length)] ?? 'timed_out')
          : luck < 0.97
            ? (finals[Math.floor(failed * finals.length)] ?? 'bad_request')
            : ('aborted' as const);
    const content = operation === 'message' && drawn !== 'aborted' ? this.#content(sentAt, endedAt) : undefined;
    const hasHead = drawn !== 'connection_lost' && drawn !== 'timed_out' && drawn !== 'aborted';
    const exchange = exchangeOf({
      sentAt,
      endedAt,
      firstByteAt: hasHead ? instant(endedAt - this.#random()) : undefined,
      connectMs: turn <= 1 ? ms(this.#random() * 5) : undefined,
      reused: turn > 1,
      status: hasHead ? 200 : 0,
      content,
    });
    const isLeft = drawn === 'ok' && content?.gapsMs.length === 1;
    const isReply = operation === 'message' && drawn === 'ok' && !isLeft;
    const isBroken = isReply && this.#isBroken(turn, { countedFrom, endedAt });
    const outcome = isBroken ? ('check_failed' as const) : isLeft ? ('abandoned' as const) : drawn;
    const session = this.#session;
    const detail = outcome === 'ok' ? '' : `it was ${outcome}`;
    this.#tell(endedAt, (observer) =>
      observer.attempt({
        session,
        operation,
        turn,
        attempt,
        countedFrom,
        outcome,
        exchange,
        detail,
        message: '',
        ...(content !== undefined && { requestBytes: 100 * turn }),
        ...(outcome === 'ok' && content !== undefined && { usage, lacksDone: content.hasReasoning }),
      }),
    );
    return { outcome, endedAt, content };
  }

  /** Draws one to nine content events between the send and the end; sometimes none. */
  #content(sentAt: Instant, endedAt: Instant): ContentTimes | undefined {
    const random = this.#contentRandom;
    if (random === undefined || random() < 0.1) return undefined;
    const events = 1 + Math.floor(random() * 9);
    const step = (endedAt - sentAt) / (events + 1);
    const sharedReads = events > 4 ? 1 : 0;
    const firstAt = instant(sentAt + step);
    return {
      firstAt,
      firstAnswerAt: random() < 0.9 ? firstAt : undefined,
      lastAt: instant(endedAt - step),
      hasReasoning: random() < 0.2,
      gapsMs: Array.from({ length: events - 1 - sharedReads }, () => step),
      sharedReads,
    };
  }

  /** Reports the guard's findings for a reply; returns whether they, or a check of the scenario, make it `check_failed`. */
  #isBroken(turn: number, { countedFrom, endedAt }: { countedFrom: Instant; endedAt: Instant }): boolean {
    const random = this.#guardRandom;
    const made = checkNames.filter((name) => name !== 'amnesia' || turn > 4);
    const failed = random() < 0.01 ? made[Math.floor(random() * made.length)] : undefined;
    const isRecall = failed === 'continuity' || failed === 'amnesia';
    const between = (value: number): number | undefined => (isRecall ? value : undefined);
    // Calls may be replayed: nothing is drawn or looked up in one.
    const [turnFaults, afterAmbiguousRetry] = [this.#turnFaults(failed), this.#hadAmbiguousRetry];
    this.#tell(endedAt, (observer) =>
      observer.integrity({
        session: this.#session,
        turn,
        countedFrom,
        endedAt,
        failed,
        checked: failed === undefined ? made : made.slice(0, made.indexOf(failed) + 1),
        detail: failed === undefined ? '' : `it broke ${failed}`,
        turnsBetween: between(turn - 1),
        retriesBetween: between(0),
        idleMs: isRecall ? ms(300) : undefined,
        untagged: false,
        turnFaults,
        afterAmbiguousRetry,
      }),
    );
    return failed !== undefined || random() < 0.005;
  }

  #turnFaults(failed: CheckName | undefined): TurnFaults | undefined {
    if (failed === 'turns') return { lost: 1, duplicated: 2, reordered: 1, repeated: 0 };
    if (!this.#hadAmbiguousRetry || this.#guardRandom() < 0.8) return undefined;
    return { lost: 0, duplicated: 0, reordered: 0, repeated: 1 };
  }

  #end(end: SessionEnd, { planned, played }: { planned: number; played: number }): void {
    const endedAt = instant(this.#now);
    const unsent = planned - played;
    this.#tell(endedAt, (observer) =>
      observer.sessionEnded({
        session: this.#session,
        end,
        endedAt,
        plannedTurns: planned,
        tally: this.#tally,
        skippedPriorFailure: end === 'failed' ? unsent : 0,
        skippedRunEnd: end === 'cut' ? unsent : 0,
      }),
    );
  }

  #tell(at: number, tell: (observer: Observer) => void): void {
    this.#told.push({ at, session: this.#session.number, tell });
  }
}
