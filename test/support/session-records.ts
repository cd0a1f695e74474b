import { instant, ms } from '../../src/base/time.ts';
import type { AttemptRecord, Observer, RetryRecord, SessionOrigin, TurnRecord } from '../../src/session/observer.ts';
import type { Exchange } from '../../src/session/send.ts';

// Records of one session as an observer receives them: everything is ok and takes no time, except the changed fields.

const zero = instant(0);
const session: SessionOrigin = { number: 1, policy: 0, due: zero, startedAt: zero };
const exchange: Exchange = {
  sentAt: zero,
  firstByteAt: zero,
  endedAt: zero,
  connectMs: undefined,
  reused: true,
  failure: undefined,
  status: 200,
  retryAfter: undefined,
  body: '',
  isUtf8: true,
  detail: '',
};
const message = { session, operation: 'message', countedFrom: zero } as const;

export function originOf(changed: Partial<SessionOrigin> = {}): SessionOrigin {
  return { ...session, ...changed };
}

export function exchangeOf(changed: Partial<Exchange> = {}): Exchange {
  return { ...exchange, ...changed };
}

export function attemptOf(changed: Partial<AttemptRecord> = {}): AttemptRecord {
  const texts = { detail: '', message: '' };
  return { ...message, turn: 1, attempt: 1, outcome: 'ok', ...texts, exchange, ...changed };
}

export function retryOf(changed: Partial<RetryRecord> = {}): RetryRecord {
  const backoff = { plannedMs: ms(0), actualMs: ms(0), sentAt: zero };
  return { ...message, cause: 'rate_limited', ...backoff, retryAfter: 'absent', ...changed };
}

export function turnOf(changed: Partial<TurnRecord> = {}): TurnRecord {
  const times = { due: zero, ready: zero, firstSentAt: zero, endedAt: zero };
  return { session, turn: 1, ...times, outcome: 'ok', attempts: 1, backoffMs: ms(0), gaveUp: undefined, ...changed };
}

/** Sends a turn and ends it. */
export function playTurn(observer: Observer, changed: Partial<TurnRecord> = {}): void {
  const turn = turnOf(changed);
  observer.turnSent(turn.session, turn.ready, turn.firstSentAt);
  observer.turn(turn);
}
