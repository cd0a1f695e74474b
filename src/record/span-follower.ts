import { between, instant, later, type Instant, type Ms } from '../base/time.ts';
import { isBrokenOff, isFailure } from '../protocol/outcome.ts';
import { observeAlso } from '../session/observe-also.ts';
import type { AttemptRecord, Observer, SessionOrigin, SessionRecord, TurnRecord } from '../session/observer.ts';
import { maxSlowTurns } from './slow-turns.ts';
import { attemptPlace, turnPlace, type EndedSpan, type SpanPlace } from './spans.ts';

export interface SpanFollowerOptions {
  /** ID of the run: part of conversation ids if the service has none. */
  run: string;
  warmUpMs: Ms;
  isSampled: (session: number) => boolean;
  /** Common attributes of attempts. */
  service: {
    operation: string;
    provider: string;
    model: string | undefined;
    agentId: string | undefined;
    address: string;
    port: number;
  };
  /** Returns a new trace id. */
  newTraceId: () => string;
  /** Receives the spans; calls are cheap and never throw. */
  add: (span: EndedSpan) => void;
}

/**
 * Makes the spans of sessions, turns and attempts. A turn is exported when it has ended, with all its attempts: if its
 * session is sampled, an attempt was not ok, or it is one of the slowest turns so far. A session is exported if it is
 * sampled, or a part of it was exported.
 */
export class SpanFollower {
  readonly #options: SpanFollowerOptions;
  /** Attempts of turns that have not ended, by session: few turns are exported, so that nothing is made of them before. */
  readonly #pending = new Map<number, AttemptRecord[]>();
  /** Spans of live sessions of which a part was exported. */
  readonly #sessions = new Map<number, SpanPlace>();
  /** Durations of the slowest turns, the slowest first. */
  #slowest: number[] = [];
  #measuredFrom: Instant = instant(0);

  constructor(options: SpanFollowerOptions) {
    this.#options = options;
  }

  /** Wraps the observer of a run, which receives everything as before. */
  follow(observer: Observer, startedAt: Instant): Observer {
    this.#measuredFrom = later(startedAt, this.#options.warmUpMs);
    return observeAlso(observer, {
      attempt: (record) => this.#attemptEnded(record),
      turn: (record) => this.#turnEnded(record),
      sessionEnded: (record) => this.#sessionEnded(record),
    });
  }

  #attemptEnded(record: AttemptRecord): void {
    const { session, operation, outcome } = record;
    const pending = this.#pending.get(session.number);
    if (operation === 'create') {
      if (outcome !== 'ok' || this.#options.isSampled(session.number))
        this.#export(session, [this.#attemptSpan(record)]);
    } else if (pending === undefined) this.#pending.set(session.number, [record]);
    else pending.push(record);
  }

  #attemptSpan(record: AttemptRecord): EndedSpan {
    const { session, operation, turn, attempt, exchange, outcome, usage, traceId = '' } = record;
    const { service, isSampled } = this.#options;
    const { operation: name } = service;
    const { sentAt, endedAt, status, content } = exchange;
    const isOfTurn = operation === 'message';
    const isFailed = isFailure(outcome);
    return {
      traceId,
      spanId: attemptPlace(traceId).spanId,
      name: isOfTurn ? `${name} ${service.model ?? service.agentId ?? ''}`.trimEnd() : 'create session',
      kind: 'client',
      parentId: isOfTurn && attempt === 1 ? turnPlace(traceId).spanId : undefined,
      link: undefined,
      isSampled: isSampled(session.number),
      startedAt: sentAt,
      endedAt,
      isFailed,
      attributes: {
        // One shape for all: objects made by spreading are slow here.
        'gen_ai.operation.name': isOfTurn ? name : undefined,
        'gen_ai.provider.name': service.provider,
        'gen_ai.request.model': service.model,
        'gen_ai.agent.id': service.agentId,
        'server.address': service.address,
        'server.port': service.port,
        'gen_ai.conversation.id': this.#conversationOf(session),
        'chat_load.session.number': session.number,
        'chat_load.turn.number': isOfTurn ? turn : undefined,
        'chat_load.attempt.number': attempt,
        'chat_load.attempt.outcome': outcome,
        'error.type': isFailed ? outcome : undefined,
        'http.response.status_code': status === 0 ? undefined : status,
        'gen_ai.usage.input_tokens': usage?.inputTokens,
        'gen_ai.usage.output_tokens': usage?.outputTokens,
        'chat_load.attempt.first_token_ms': content && between(sentAt, content.firstAt),
      },
    };
  }

  #turnEnded({ session, turn, outcome, attempts, backoffMs, due, firstSentAt, endedAt }: TurnRecord): void {
    const made = this.#pending.get(session.number);
    const [first] = made ?? [];
    if (made === undefined || first === undefined) return;
    this.#pending.delete(session.number);
    const isSlow = outcome === 'ok' && firstSentAt >= this.#measuredFrom && this.#isSlow(between(firstSentAt, endedAt));
    const isSampled = this.#options.isSampled(session.number);
    if (!isSlow && !isSampled && made.every((each) => each.outcome === 'ok')) return;
    const place = turnPlace(first.traceId ?? '');
    const isFailed = outcome !== 'ok' && !isBrokenOff(outcome);
    const span: EndedSpan = {
      traceId: place.traceId,
      spanId: place.spanId,
      name: 'turn',
      kind: 'internal',
      parentId: undefined,
      link: undefined,
      isSampled,
      startedAt: firstSentAt,
      endedAt,
      isFailed,
      attributes: {
        'gen_ai.conversation.id': this.#conversationOf(session),
        'chat_load.session.number': session.number,
        'chat_load.turn.number': turn,
        'chat_load.turn.outcome': outcome,
        'chat_load.turn.attempts': attempts,
        'chat_load.turn.backoff_ms': backoffMs,
        'chat_load.turn.effective_ms': between(due, endedAt),
        'error.type': isFailed ? outcome : undefined,
      },
    };
    // Retries have traces of their own, which link to the turn.
    const attemptSpans = made.map((each) => this.#attemptSpan(each));
    for (const each of attemptSpans) if (each.parentId === undefined) each.link = place;
    this.#export(session, [span, ...attemptSpans]);
  }

  #sessionEnded({ session, end, endedAt, tally }: SessionRecord): void {
    const { number, startedAt } = session;
    const place = this.#sessions.get(number);
    this.#sessions.delete(number);
    this.#pending.delete(number);
    const isSampled = this.#options.isSampled(number);
    if (place === undefined && !isSampled) return;
    const isFailed = end === 'failed' || end === 'create_failed';
    this.#options.add({
      ...(place ?? attemptPlace(this.#options.newTraceId())),
      name: 'session',
      kind: 'internal',
      isSampled,
      startedAt,
      endedAt,
      isFailed,
      attributes: {
        'gen_ai.conversation.id': this.#conversationOf(session),
        'chat_load.session.number': number,
        'chat_load.session.end': end,
        'chat_load.session.turns': tally.turns,
        'error.type': isFailed ? end : undefined,
      },
    });
  }

  /** Passes spans on; the roots among them link to their session, unless they link to their turn. */
  #export({ number }: SessionOrigin, spans: readonly EndedSpan[]): void {
    const session = this.#sessions.get(number) ?? attemptPlace(this.#options.newTraceId());
    this.#sessions.set(number, session);
    for (const span of spans) {
      if (span.parentId === undefined) span.link ??= session;
      this.#options.add(span);
    }
  }

  /** Reports whether a turn is one of the slowest so far: a superset of those that the result lists at the end. */
  #isSlow(durationMs: number): boolean {
    const last = this.#slowest[maxSlowTurns - 1];
    if (last !== undefined && durationMs <= last) return false;
    this.#slowest = [...this.#slowest, durationMs].toSorted((a, b) => b - a).slice(0, maxSlowTurns);
    return true;
  }

  #conversationOf({ number, id }: SessionOrigin): string {
    return id ?? `${this.#options.run}/${String(number)}`;
  }
}
