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
  /** Name and common attributes of the attempts of turns. */
  attemptName: string;
  attemptAttributes: EndedSpan['attributes'];
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
  /** Attempts of turns that have not ended, by session. */
  readonly #pending = new Map<number, EndedSpan[]>();
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
    const { traceId, session, operation, outcome } = record;
    if (traceId === undefined) return;
    const span = this.#attemptSpan(traceId, record);
    const pending = this.#pending.get(session.number);
    if (operation === 'create') {
      if (span.isSampled || outcome !== 'ok') this.#export(session, [span]);
    } else if (pending === undefined) this.#pending.set(session.number, [span]);
    else pending.push(span);
  }

  #attemptSpan(traceId: string, { session, operation, turn, attempt, exchange, ...record }: AttemptRecord): EndedSpan {
    const { attemptName, attemptAttributes, isSampled } = this.#options;
    const { sentAt, endedAt, status, content } = exchange;
    const { outcome, usage } = record;
    const isOfTurn = operation === 'message';
    const isFailed = isFailure(outcome);
    return {
      ...attemptPlace(traceId),
      name: isOfTurn ? attemptName : 'create session',
      kind: 'client',
      parentId: isOfTurn && attempt === 1 ? turnPlace(traceId).spanId : undefined,
      isSampled: isSampled(session.number),
      startedAt: sentAt,
      endedAt,
      isFailed,
      attributes: {
        ...attemptAttributes,
        ...(isOfTurn ? {} : { 'gen_ai.operation.name': undefined }),
        ...this.#numbersOf(session, isOfTurn ? turn : undefined),
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
    const hasEvent = made.some(({ attributes }) => attributes['chat_load.attempt.outcome'] !== 'ok');
    if (!isSlow && !hasEvent && !first.isSampled) return;
    const place = turnPlace(first.traceId);
    const isFailed = outcome !== 'ok' && !isBrokenOff(outcome);
    const span: EndedSpan = {
      ...place,
      name: 'turn',
      kind: 'internal',
      isSampled: first.isSampled,
      startedAt: firstSentAt,
      endedAt,
      isFailed,
      attributes: {
        ...this.#numbersOf(session, turn),
        'chat_load.turn.outcome': outcome,
        'chat_load.turn.attempts': attempts,
        'chat_load.turn.backoff_ms': backoffMs,
        'chat_load.turn.effective_ms': between(due, endedAt),
        'error.type': isFailed ? outcome : undefined,
      },
    };
    // Retries have traces of their own, which link to the turn.
    const attemptSpans = made.map((each) => (each.parentId === undefined ? { ...each, link: place } : each));
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
        ...this.#numbersOf(session),
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
    for (const span of spans)
      this.#options.add(span.parentId === undefined && span.link === undefined ? { ...span, link: session } : span);
  }

  /** Reports whether a turn is one of the slowest so far: a superset of those that the result lists at the end. */
  #isSlow(durationMs: number): boolean {
    const last = this.#slowest[maxSlowTurns - 1];
    if (last !== undefined && durationMs <= last) return false;
    this.#slowest = [...this.#slowest, durationMs].toSorted((a, b) => b - a).slice(0, maxSlowTurns);
    return true;
  }

  #numbersOf({ number, id }: SessionOrigin, turn?: number): EndedSpan['attributes'] {
    return {
      'gen_ai.conversation.id': id ?? `${this.#options.run}/${String(number)}`,
      'chat_load.session.number': number,
      'chat_load.turn.number': turn,
    };
  }
}
