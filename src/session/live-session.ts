import { ChatLoadError } from '../base/errors.ts';
import { between, later, type Instant } from '../base/time.ts';
import { planSession, type SessionPlan } from '../plan/session-plan.ts';
import { isEmptyReply } from '../protocol/empty-reply.ts';
import { isFailure, traitsOf, type SessionEnd } from '../protocol/outcome.ts';
import { readCalls } from '../plan/session-scope.ts';
import type {
  ChatApi,
  Conversation,
  OwnSession,
  Reply,
  SocketObserver,
  ToolCall,
  TurnContent,
} from '../protocol/protocol.ts';
import type { PreviousReply } from '../scenario/scenario-values.ts';
import type { Beginning, Created } from './play-operation.ts';
import { SessionGuard } from './integrity/session-guard.ts';
import { openStream } from './await-reply.ts';
import { leaveAfter, type OperationEnd, type OperationPlan } from './operation.ts';
import type { SessionOrigin, TurnRecord } from './observer.ts';
import { SessionHead } from './session-head.ts';
import { newSessionTally, tallyTurn } from './session-tally.ts';
import type { SessionContext } from './session-context.ts';

/** An active session: its next message, the message's time, and its outcome. `playSession` does the waiting. */
export class LiveSession {
  readonly origin: SessionOrigin;
  /** Instant at which the next turn is due: the creation's end, or the previous turn's end plus the think time. */
  ready: Instant;
  readonly #context: SessionContext;
  readonly #planned: SessionPlan;
  /** The API of the target, or of this session over its own socket. */
  #api: ChatApi;
  /** `undefined` until the session is created. */
  #conversation: Conversation | undefined;
  /** End of the creation or the latest turn. */
  #endedAt: Instant;
  #turnsSent = 0;
  #messagesSent = 0;
  /** Number of turns with tool results since the latest message. */
  #toolTurns = 0;
  /** Tools called in the latest reply, which the next turn answers; `undefined`: the next turn sends a message. */
  #calls: readonly ToolCall[] | undefined;
  /** Number of turns known so far: a branching script decides on one after another. */
  #plannedTurns: number;
  readonly #tally = newSessionTally();
  #hasFailedTurn = false;
  /** `undefined` after a turn that was not ok, because the agent may or may not remember that turn. */
  #guard: SessionGuard | undefined;
  #end: SessionEnd | undefined;
  /** `undefined`: its request headers are the shared ones. */
  readonly #head: SessionHead | undefined;

  /** Begins the creation: its first attempt is sent at once. */
  constructor(context: SessionContext, number: number, due: Instant) {
    const startedAt = context.clock.now();
    this.#context = context;
    this.#api = context.api;
    this.#planned = planSession(context.script, number);
    this.#plannedTurns = this.#planned.foreseen;
    this.#guard = context.guard && new SessionGuard(context.guard, this.#planned);
    this.#head = context.heads && new SessionHead(this.#planned, context.heads);
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

  /** Returns the creation. If a function of the scenario throws, the run is cut: nothing more is sent. */
  beginCreation(): Beginning {
    const { api } = this.#context;
    try {
      if (api.forSession !== undefined)
        this.#api = api.forSession(this.origin.number, this.#observeSockets(), this.#ownSession());
      if (this.#api.creation !== undefined) this.#head?.beginTurn(0);
    } catch (thrown) {
      this.#abandon(thrown);
      // Without a request that is cut in its place.
      if (this.#api.creation === undefined) this.#end = 'cut';
    }
    return { creation: this.#api.creation, head: this.#head };
  }

  #ownSession(): OwnSession {
    const planned = this.#planned;
    const { keepSecret } = this.#context;
    return { runId: planned.runId, uuid: () => planned.uuid(), keepSecret: (secret) => keepSecret?.(secret) };
  }

  #observeSockets(): SocketObserver {
    const { observer, clock } = this.#context;
    return {
      opened: () => observer.socketsChanged(1, clock.now()),
      closed: () => observer.socketsChanged(-1, clock.now()),
      unsolicited: () => observer.unsolicitedFrame(this.origin, clock.now()),
    };
  }

  created(created: Created): void {
    if (this.hasEnded) return;
    this.#endedAt = created.endedAt;
    this.ready = created.endedAt;
    if (created.sessionId === undefined) this.#end = created.end;
    else {
      this.#conversation = this.#api.converse(created.sessionId);
      if (created.sessionId !== '') {
        this.origin.id = created.sessionId;
        this.#context.liveIds.add(created.sessionId);
      }
    }
  }

  /** Opens the stream of the session, if its replies arrive on one. If that fails, the first turn opens it again. */
  openStream(): Promise<void> | undefined {
    const context = this.#context;
    const listener = this.#conversation?.listener;
    if (listener === undefined || this.hasEnded) return undefined;
    const [sentAt, { number: session, policy }] = [context.clock.now(), this.origin];
    const about = { session, policy, turn: 0, message: '', sentAt, countedFrom: sentAt };
    const send = this.#head?.beginAttempt(context.send, about) ?? context.send;
    return this.#opened(() => openStream({ ...context, send }, listener, later(sentAt, context.plan.timeoutMs)));
  }

  async #opened(open: () => Promise<unknown>): Promise<void> {
    try {
      await open();
    } catch (thrown) {
      this.#abandon(thrown);
      this.#end = 'cut';
    }
    this.#endedAt = this.#context.clock.now();
    this.ready = this.#endedAt;
  }

  /** Begins the next turn, to be sent at once. If nothing more may be sent, cuts the session and returns `undefined`. */
  beginTurn(): OperationPlan | undefined {
    const { quota, stopSignal, clock, observer } = this.#context;
    const conversation = this.#conversation;
    const turn = this.#turnsSent + 1;
    const mayNot = conversation === undefined || stopSignal.reached('halt') || !quota.takeTurn();
    const planned = mayNot ? undefined : this.#plan(conversation, turn);
    if (planned === undefined) {
      this.cut();
      return undefined;
    }
    const firstSentAt = clock.now();
    planned.firstSentAt = firstSentAt;
    this.#turnsSent = turn;
    if (this.#toolTurns === 0) this.#guard?.begins(this.#messagesSent);
    if (turn > 1) this.#guard?.waited(between(this.#endedAt, firstSentAt));
    observer.turnSent(this.origin, this.ready, firstSentAt);
    return planned;
  }

  /** Plans the next turn, except the instant of its send; `undefined` if a function of the scenario threw. */
  #plan(conversation: Conversation, turn: number): OperationPlan | undefined {
    const { origin: session } = this;
    try {
      const content = this.#contentOf(turn);
      this.#head?.beginTurn(this.#messagesSent);
      return {
        session,
        operation: 'message',
        turn,
        message: content.message,
        variableValues: content.variableValues,
        messageNumber: this.#messagesSent,
        toolTurns: this.#toolTurns,
        request: conversation.request(content),
        reader: conversation,
        head: this.#head,
        firstSentAt: this.ready,
        guard: this.#guard,
        leaveAfterMs: leaveAfter(this.#context, session.number, turn),
      };
    } catch (thrown) {
      return this.#abandon(thrown);
    }
  }

  /** Returns the next turn's content: the next message, or the results of tools called in the latest reply. */
  #contentOf(turn: number): TurnContent {
    const planned = this.#planned;
    let message = '';
    let toolResults: TurnContent['toolResults'];
    if (this.#calls === undefined) {
      const number = this.#messagesSent + 1;
      message = planned.message(number);
      this.#messagesSent = number;
      this.#toolTurns = 0;
    } else {
      const calls = readCalls(this.#context.script.tools, this.#calls);
      // Judged with the reply; a string describes the problem of a call.
      if (typeof calls === 'string') throw new Error(calls);
      toolResults = planned.toolResults(calls, this.#messagesSent, turn);
      this.#toolTurns += 1;
    }
    return {
      message,
      variableValues: planned.variableValues(this.#messagesSent) ?? '',
      toolResults,
      instructions: planned.instructions(),
      session: this.origin.number,
      turn,
    };
  }

  endTurn({ turn, toolTurns, firstSentAt }: OperationPlan, end: OperationEnd): void {
    const { origin: session, ready } = this;
    const { outcome, attempts, endedAt, backoffMs, lostMs, costNanos, gaveUp } = end;
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
      saysToolResults: toolTurns > 0,
      content: end.content,
      usage: end.reply?.usage,
      finish: end.reply?.finish,
      isEmpty: end.reply !== undefined && isEmptyReply(end.reply),
    };
    this.#context.observer.turn(record);
    tallyTurn(this.#tally, record, { lostMs, costNanos, objectives: this.#context.plan });
    this.#endedAt = endedAt;
    if (end.reply !== undefined) this.#conversation?.replied?.(end.reply);
    if (outcome === 'abandoned') this.#conversation?.left?.(end.leftText);
    // The agent may or may not remember a turn that was not ok.
    if (outcome !== 'ok') this.#guard = undefined;
    if (isFailure(outcome)) this.#hasFailedTurn = true;
    this.#calls = this.#callsIn(end.reply);
    this.#end = this.#endAfter(end);
    if (this.#end !== undefined) return;
    // Tool results are sent without think time.
    this.ready = this.#calls === undefined ? this.#nextReady(endedAt) : endedAt;
  }

  /** Returns the time of the next turn: after the think time, or as recorded in a trace, but never before the reply. */
  #nextReady(endedAt: Instant): Instant {
    const comesAt = this.#planned.comesAt(this.#messagesSent + 1);
    if (comesAt === undefined) return later(endedAt, this.#planned.thinkTime(this.#messagesSent));
    const at = later(this.origin.startedAt, comesAt);
    return at > endedAt ? at : endedAt;
  }

  /** Cuts the session: the run ended before the next turn could be sent. */
  cut(): void {
    this.#endedAt = this.#context.clock.now();
    this.#end = 'cut';
  }

  /** Reports how the session ended, and when. */
  close(): Instant {
    const end = this.#end ?? 'cut';
    this.#conversation?.end?.();
    if (this.#conversation !== undefined) this.#context.liveIds.delete(this.#conversation.sessionId);
    const unsent = this.#plannedTurns - this.#turnsSent;
    this.#context.observer.sessionEnded({
      session: this.origin,
      end,
      endedAt: this.#endedAt,
      plannedTurns: this.#plannedTurns,
      tally: this.#tally,
      skippedPriorFailure: end === 'failed' ? unsent : 0,
      skippedRunEnd: end === 'cut' ? unsent : 0,
    });
    return this.#endedAt;
  }

  #endAfter(end: OperationEnd): SessionEnd | undefined {
    const { outcome, gaveUp } = end;
    const { plan } = this.#context;
    if (outcome === 'aborted' || gaveUp === 'run_end') return 'cut';
    if (isFailure(outcome) && (plan.onFailedTurn === 'stop' || traitsOf(outcome).group === 'auth')) return 'failed';
    if (this.#calls !== undefined) {
      this.#plannedTurns += 1;
      return undefined;
    }
    return this.#messagesSent < this.#planned.foreseen ? undefined : this.#endUnlessFollowed(outcome, end);
  }

  /** Ends the session after the known messages, unless a branching script continues. */
  #endUnlessFollowed(outcome: PreviousReply['outcome'], { reply, leftText }: OperationEnd): SessionEnd | undefined {
    const lastReply = (): PreviousReply => ({ text: reply?.text ?? leftText, outcome, usage: reply?.usage });
    try {
      if (!this.#planned.follows(this.#messagesSent, lastReply)) return this.#hasFailedTurn ? 'failed' : 'completed';
    } catch (thrown) {
      this.#abandon(thrown);
      return 'cut';
    }
    this.#plannedTurns += 1;
    return undefined;
  }

  /** Returns the tool calls of a reply, if the scenario answers any. */
  #callsIn(reply: Reply | undefined): readonly ToolCall[] | undefined {
    const calls = reply?.toolCalls;
    return calls === undefined || calls.length === 0 || this.#context.script.tools.size === 0 ? undefined : calls;
  }

  /** Ends the run for an exception in a function of the scenario. Any other exception is a bug of chat-load and is rethrown. */
  #abandon(thrown: unknown): undefined {
    if (!(thrown instanceof ChatLoadError)) throw thrown;
    this.#context.abandon(thrown);
  }
}
