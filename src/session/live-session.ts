import { ChatLoadError } from '../base/errors.ts';
import { between, later, type Instant } from '../base/time.ts';
import { planSession, type SessionPlan } from '../plan/session-plan.ts';
import { isFailure, traitsOf, type SessionEnd } from '../protocol/outcome.ts';
import type { Conversation, Said } from '../protocol/protocol.ts';
import type { Created } from './create-session.ts';
import { SessionGuard } from './integrity/session-guard.ts';
import { leaveAfter } from './leave-after.ts';
import type { SessionOrigin, TurnRecord } from './observer.ts';
import type { OperationEnd, OperationPlan } from './operation.ts';
import { newSessionTally, tallyTurn } from './session-tally.ts';
import type { SessionSurroundings } from './session-context.ts';

/** One session under way: what it says next and when, and its outcome. The player does the waiting. */
export class LiveSession {
  readonly origin: SessionOrigin;
  /** When the next turn is due and ready: the creation's end, or the end of the turn before plus the think time. */
  ready: Instant;
  readonly #context: SessionSurroundings;
  readonly #planned: SessionPlan;
  /** `undefined` until the session is created. */
  #conversation: Conversation | undefined;
  /** The last thing to end: the creation or a turn. */
  #endedAt: Instant;
  #turnsSent = 0;
  readonly #tally = newSessionTally();
  #isTainted = false;
  /** `undefined` once a turn was not ok: it is unknown what the agent remembers of that turn. */
  #guard: SessionGuard | undefined;
  #end: SessionEnd | undefined;

  /** The first create attempt is to be sent at once. */
  constructor(context: SessionSurroundings, number: number, due: Instant) {
    const startedAt = context.clock.now();
    this.#context = context;
    this.#planned = planSession(context.script, number);
    this.#guard = context.guard && new SessionGuard(context.guard, this.#planned);
    this.origin = { number, policy: this.#planned.policy, due, startedAt };
    this.ready = startedAt;
    this.#endedAt = startedAt;
    context.observer.sessionStarted(this.origin);
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  get isThinking(): boolean {
    return this.ready > this.#endedAt;
  }

  created(created: Created): void {
    this.#endedAt = created.endedAt;
    this.ready = created.endedAt;
    if (created.sessionId === undefined) this.#end = created.end;
    else {
      this.#conversation = this.#context.api.converse(created.sessionId);
      if (created.sessionId !== '') this.#context.liveIds.add(created.sessionId);
    }
  }

  /** The next turn, to be sent at once; `undefined`, and the session is cut, when nothing more may be sent. */
  beginTurn(): OperationPlan | undefined {
    const { quota, stopSignal, clock, observer } = this.#context;
    const conversation = this.#conversation;
    const turn = this.#turnsSent + 1;
    const said = stopSignal.reached('halt') || !quota.takeTurn() ? undefined : this.#authored(() => this.#say(turn));
    const request = said && conversation && this.#authored(() => conversation.request(said));
    if (request === undefined || conversation === undefined || said === undefined) {
      this.cut();
      return undefined;
    }
    const firstSentAt = clock.now();
    this.#turnsSent = turn;
    this.#guard?.begins(turn);
    if (turn > 1) this.#guard?.waited(between(this.#endedAt, firstSentAt));
    observer.turnSent(this.origin, this.ready, firstSentAt);
    const { origin: session } = this;
    const { message } = said;
    const guard = this.#guard;
    const leaveAfterMs = leaveAfter(this.#context, session.number, turn);
    const reader = conversation;
    return { session, operation: 'message', turn, message, request, reader, firstSentAt, guard, leaveAfterMs };
  }

  endTurn({ turn, firstSentAt }: OperationPlan, end: OperationEnd): void {
    const { origin: session, ready } = this;
    const { outcome, attempts, endedAt, backoffMs, lostMs, gaveUp } = end;
    const due = turn === 1 ? session.due : ready;
    const record: TurnRecord = {
      session,
      turn,
      due,
      ready,
      firstSentAt,
      endedAt,
      outcome,
      attempts,
      backoffMs,
      gaveUp,
      content: end.content,
      usage: end.reply?.usage,
    };
    this.#context.observer.turn(record);
    tallyTurn(this.#tally, record, { lostMs, objectives: this.#context.plan });
    this.#endedAt = endedAt;
    if (end.reply !== undefined) this.#conversation?.replied?.(end.reply);
    if (outcome === 'abandoned') this.#conversation?.left?.(end.leftText);
    // It is unknown what the agent remembers of a turn that was not ok.
    if (outcome !== 'ok') this.#guard = undefined;
    if (isFailure(outcome)) this.#isTainted = true;
    this.#end = this.#endAfter(end);
    if (this.#end === undefined) this.ready = later(endedAt, this.#planned.thinkTime(turn));
  }

  /** The run ended before the next turn could be sent. */
  cut(): void {
    this.#endedAt = this.#context.clock.now();
    this.#end = 'cut';
  }

  /** Reports how the session ended, and when. */
  close(): Instant {
    const end = this.#end ?? 'cut';
    if (this.#conversation !== undefined) this.#context.liveIds.delete(this.#conversation.sessionId);
    const unsent = this.#planned.turns - this.#turnsSent;
    this.#context.observer.sessionEnded({
      session: this.origin,
      end,
      endedAt: this.#endedAt,
      plannedTurns: this.#planned.turns,
      tally: this.#tally,
      skippedPriorFailure: end === 'failed' ? unsent : 0,
      skippedRunEnd: end === 'cut' ? unsent : 0,
    });
    return this.#endedAt;
  }

  #endAfter({ outcome, gaveUp }: OperationEnd): SessionEnd | undefined {
    const { plan } = this.#context;
    if (outcome === 'aborted' || gaveUp === 'run_end') return 'cut';
    if (isFailure(outcome) && (plan.onFailedTurn === 'stop' || traitsOf(outcome).group === 'auth')) return 'failed';
    if (this.#turnsSent < this.#planned.turns) return undefined;
    return this.#isTainted ? 'failed' : 'completed';
  }

  /** What the user says in a turn. */
  #say(turn: number): Said {
    const message = this.#planned.message(turn);
    return { message, variableValues: this.#planned.variableValues(turn) ?? '', session: this.origin.number, turn };
  }

  /** What a function of the scenario throws ends the run; anything else is a bug of ours and is rethrown. */
  #authored<Made>(make: () => Made): Made | undefined {
    try {
      return make();
    } catch (thrown) {
      if (!(thrown instanceof ChatLoadError)) throw thrown;
      this.#context.abandon(thrown);
      return undefined;
    }
  }
}
