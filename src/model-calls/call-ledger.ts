import { Pricing, type ModelPrice } from '../plan/prices.ts';
import type { SlowTurns } from '../record/slow-turns.ts';
import type { LiveTally } from '../record/tally.ts';
import type { ResolvedModel } from '../scenario/model-options.ts';
import type {
  AttemptAccount,
  AttemptBegin,
  AttemptEnd,
  Attribution,
  CallAccount,
  CallResult,
  Phase,
  TurnAccount,
  TurnEnd,
} from './accounts.ts';
import { AttemptRegister } from './attempt-register.ts';
import { classifyCalls, countAttempt, endRelayed } from './count-attempt.ts';
import {
  costOfCall,
  countAfterTurn,
  countCall,
  countFault,
  countLateWork,
  countRelation,
  faultOf,
  redactNames,
} from './count-call.ts';
import { countTurn, isUncertain } from './count-turn.ts';
import type { CallPlace } from './model-observer.ts';
import { RecentMap } from '../base/recent-map.ts';
import type { SharedPrefixes } from './shared-prefixes.ts';
import { slowTurnOf } from './slow-turn.ts';
import { TextMatcher } from './text-matcher.ts';
import type { TracedAttempt } from './trace-id.ts';

/** Time to wait for the record of the beginning of an attempt. */
const beginWaitUs = 5e6;
/** Time after the end of an attempt or a turn at which it is counted: calls that arrived before have been reported. */
const countAfterUs = 1e6;
const maxWords = 50_000;

export interface LedgerOptions {
  model: Pick<ResolvedModel, 'match' | 'orphanGrace'>;
  pricing: ReadonlyMap<string, ModelPrice> | undefined;
  redact: (text: string) => string;
  /** Returns the tally of an observation, by its phase and its end. */
  tallyOf: (phase: Phase, endedUs: number) => LiveTally;
  /** Returns the phase of a call that is not attributed, by its arrival. */
  phaseAt: (arrivedUs: number) => Phase;
  prefixes: SharedPrefixes;
  /** Returns the slowest turns of the part of a phase. */
  slowTurnsOf: (phase: Phase) => SlowTurns;
}

/** A new call: what is known of it at its arrival. */
export interface ArrivedCall extends Omit<
  CallAccount,
  'shared' | 'attempt' | 'attribution' | 'end' | 'isOfTurn' | 'relation' | 'nanos'
> {
  traced: { traceId: string; place: TracedAttempt } | undefined;
  blocks: readonly string[];
}

/**
 * Joins calls with attempts and turns. A call is counted when it has ended and is attributed, an attempt and a turn a second
 * after their end; what happens later is counted call by call.
 *
 *     call, begin, end -> account of the attempt -> attempt counted -> turn counted -> remembered for late calls
 */
export class CallLedger {
  readonly #options: LedgerOptions;
  readonly #pricing: Pricing | undefined;
  readonly #register = new AttemptRegister();
  readonly #matcher = new TextMatcher();
  /** Sessions of the latest unique words. */
  readonly #words = new RecentMap<string, number>(maxWords);
  readonly #open = new Map<number, CallAccount>();
  /** Attempts of which only calls are known, by arrival of the first. */
  readonly #unbegun = new Map<AttemptAccount, number>();
  readonly #ended = new Set<AttemptAccount>();
  readonly #endedTurns = new Set<TurnAccount>();

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.#pricing = options.pricing === undefined ? undefined : new Pricing(options.pricing, '');
  }

  callStarted({ traced, blocks, ...arrived }: ArrivedCall): CallPlace | undefined {
    const attempt = traced === undefined ? undefined : this.#register.open(traced.traceId, traced.place);
    const call: CallAccount = {
      ...arrived,
      shared: undefined,
      attempt: undefined,
      attribution: undefined,
      end: undefined,
      isOfTurn: false,
      relation: undefined,
      nanos: 0,
    };
    this.#open.set(call.id, call);
    if (attempt !== undefined) {
      call.textHash = undefined;
      this.#attach(call, attempt, 'traced');
      if (attempt.begin === undefined && !this.#unbegun.has(attempt)) this.#unbegun.set(attempt, call.arrivedUs);
    } else if (call.textHash !== undefined) this.#matcher.wait(call);
    const turn = (attempt ?? this.#matcher.foresee(call))?.turn;
    call.shared = this.#options.prefixes.take(blocks, turn && { session: turn.session, turn: turn.turn });
    return turn && { session: turn.session, turn: turn.turn, call: ++turn.numbered };
  }

  callEnded(id: number, end: CallResult): void {
    const call = this.#open.get(id);
    if (call === undefined) return;
    this.#open.delete(id);
    call.end = end;
    const { attempt } = call;
    if (attempt?.isCounted === true && end.outcome !== 'ok') attempt.equals.failed(call, end.endedUs);
    this.#complete(call);
  }

  begun(traceId: string, place: TracedAttempt, begin: AttemptBegin): void {
    const attempt = this.#register.open(traceId, place);
    if (attempt.begin !== undefined) return;
    attempt.begin = begin;
    this.#unbegun.delete(attempt);
    this.#matcher.begun(attempt);
    for (const call of attempt.calls) this.#complete(call);
  }

  ended(traceId: string, end: AttemptEnd): void {
    const attempt = this.#register.of(traceId);
    if (attempt?.begin === undefined || attempt.end !== undefined) return;
    attempt.end = end;
    this.#ended.add(attempt);
  }

  turnEnded(session: number, number: number, end: TurnEnd): void {
    const turn = this.#register.turnOf(session, number);
    if (turn === undefined || turn.end !== undefined) return;
    turn.end = end;
    this.#endedTurns.add(turn);
  }

  /** Decides and counts what is due; `isLast`: everything, at the end of the run. */
  settle(nowUs: number, isLast = false): void {
    const [waitUs, afterUs] = isLast ? [-Infinity, -Infinity] : [beginWaitUs, countAfterUs];
    for (const [attempt, sinceUs] of this.#unbegun) if (nowUs - sinceUs >= waitUs) this.#forget(attempt);
    this.#matcher.decide(nowUs, waitUs, (call, attempt) => {
      call.textHash = undefined;
      if (attempt !== undefined) this.#attach(call, attempt, 'matched');
      this.#complete(call);
    });
    for (const attempt of this.#ended)
      if (nowUs - (attempt.end?.endedUs ?? 0) >= afterUs && (isLast || this.#isAlone(attempt)))
        this.#countAttempt(attempt, nowUs);
    for (const turn of this.#endedTurns) if (nowUs - (turn.end?.endedUs ?? 0) >= afterUs) this.#countTurn(turn, nowUs);
    if (isLast) for (const turn of this.#register.turns()) this.#countOpenFaults(turn);
    this.#register.expire(nowUs);
  }

  /** Numbers of accounts held, which attempts and calls in flight and fixed maxima bound. */
  get held() {
    const { attempts, turns } = this.#register.held;
    const waiting = this.#unbegun.size + this.#ended.size + this.#endedTurns.size + this.#matcher.held;
    return { attempts, turns, calls: this.#open.size, waiting, words: this.#words.size };
  }

  /** Reports whether an attempt may be counted before its turn: a call that was matched by text may belong to another attempt. */
  #isAlone({ turn }: AttemptAccount): boolean {
    return this.#options.model.match === undefined || turn.turn === 0;
  }

  /** Gives up waiting for the record of the beginning of an attempt: its calls are not attributed. */
  #forget(attempt: AttemptAccount): void {
    this.#unbegun.delete(attempt);
    this.#register.forget(attempt);
    for (const call of attempt.calls) {
      call.attempt = undefined;
      this.#complete(call);
    }
  }

  #attach(call: CallAccount, attempt: AttemptAccount, attribution: Attribution): void {
    call.attempt = attempt;
    call.attribution = attribution;
    call.isOfTurn = !attempt.turn.isCounted;
    if (attempt.isCounted) call.relation = attempt.equals.classify(call);
    if (call.isOfTurn && !(attempt.isCounted && attempt.turn.turn === 0)) attempt.calls.push(call);
  }

  /** Counts a call that has ended, unless its attribution is still undecided. */
  #complete(call: CallAccount): void {
    const { end, attempt, textHash } = call;
    if (end === undefined || textHash !== undefined || (attempt !== undefined && attempt.begin === undefined)) return;
    const { redact, tallyOf, phaseAt } = this.#options;
    const tally = tallyOf(attempt?.begin ?? phaseAt(call.arrivedUs), end.endedUs);
    const price = this.#pricing && costOfCall(this.#pricing, call, end);
    call.nanos = price?.nanos ?? 0;
    countCall(tally, call, end, price && redactNames(price, redact));
    if (attempt === undefined) {
      if (end.outcome === 'injected') countFault(tally, 'unattributed');
      return;
    }
    attempt.nanos += call.nanos;
    if (end.word !== undefined) this.#words.set(end.word, attempt.turn.session);
    if (attempt.isCounted) this.#countAfterAttempt(tally, call, { end, attempt });
    if (attempt.turn.isCounted || attempt.turn.turn === 0) countAfterTurn(tally, call, end, attempt.turn);
  }

  #countAttempt(attempt: AttemptAccount, nowUs: number): void {
    const { begin, end, turn } = attempt;
    this.#ended.delete(attempt);
    if (begin === undefined || end === undefined || attempt.isCounted) return;
    const { tallyOf } = this.#options;
    attempt.isCounted = true;
    this.#matcher.counted(attempt);
    attempt.isCertain = !isUncertain(turn, turn.end?.attempts);
    classifyCalls(attempt);
    const tally = tallyOf(begin, end.endedUs);
    if (turn.turn > 0 && attempt.isCertain) {
      if (end.outcome !== 'aborted') countAttempt(tally, attempt, begin, end);
      if (end.outcome !== 'ok') tally.counters.modelSpending.wastedNanos += attempt.nanos;
    }
    for (const call of attempt.calls)
      if (call.end !== undefined) this.#countLate(tallyOf(begin, call.end.endedUs), call, { end: call.end, attempt });
    if (turn.turn === 0) this.#register.retireAttempt(attempt, nowUs);
  }

  /** Counts a call that ended after its attempt was counted. */
  #countAfterAttempt(tally: LiveTally, call: CallAccount, of: { end: CallResult; attempt: AttemptAccount }): void {
    const { attempt } = of;
    const isWasted = attempt.isCertain && attempt.turn.turn > 0 && attempt.end?.outcome !== 'ok';
    if (isWasted) tally.counters.modelSpending.wastedNanos += call.nanos;
    this.#countLate(tally, call, of);
    if (attempt.relay !== undefined && attempt.begin !== undefined && attempt.end !== undefined)
      endRelayed(this.#options.tallyOf(attempt.begin, attempt.end.endedUs), attempt, call);
  }

  #countLate(
    tally: LiveTally,
    call: CallAccount,
    { end, attempt }: { end: CallResult; attempt: AttemptAccount },
  ): void {
    if (!attempt.isCertain || attempt.turn.turn === 0 || attempt.end === undefined) return;
    countRelation(tally, call);
    const graceUs = this.#options.model.orphanGrace * 1000;
    const costOf = (of: CallAccount, until: CallResult): number =>
      this.#pricing === undefined ? 0 : costOfCall(this.#pricing, of, until).nanos;
    countLateWork(tally, call, end, { attempt: attempt.end, graceUs, costOf });
  }

  #countTurn(turn: TurnAccount, nowUs: number): void {
    this.#endedTurns.delete(turn);
    const { end } = turn;
    if (end === undefined) return;
    for (const attempt of turn.attempts.filter(({ begin }) => begin === undefined)) this.#forget(attempt);
    for (const attempt of turn.attempts) {
      this.#countAttempt(attempt, nowUs);
      this.#matcher.counted(attempt);
    }
    countTurn(this.#options.tallyOf(end, end.endedUs), turn, end, this.#words);
    this.#offerSlow(turn, end);
    turn.isCounted = true;
    this.#register.retire(turn, nowUs);
  }

  /** Counts the injected calls of a turn that has not ended at the end of the run. */
  #countOpenFaults({ turn, attempts }: TurnAccount): void {
    if (turn === 0) return;
    for (const { begin, calls } of attempts)
      for (const { end } of calls)
        if (begin !== undefined && end?.outcome === 'injected')
          countFault(this.#options.tallyOf(begin, end.endedUs), faultOf(end.fault));
  }

  #offerSlow(turn: TurnAccount, end: TurnEnd): void {
    const { slowTurnsOf, redact } = this.#options;
    const slowTurns = slowTurnsOf(end);
    const isCandidate = !end.warmUp && end.outcome !== 'aborted';
    if (isCandidate && slowTurns.wants((end.endedUs - end.firstSentUs) / 1000))
      slowTurns.keep(slowTurnOf(turn, end, redact));
  }
}
