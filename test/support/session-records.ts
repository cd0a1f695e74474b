import { instant, ms } from '../../src/base/time.ts';
import type { AttemptRecord, Observer, RetryRecord, SessionOrigin, TurnRecord } from '../../src/session/observer.ts';
import type { Exchange } from '../../src/session/send.ts';

const zero = instant(0);

/** Records of one session as an observer receives them: everything is ok and takes no time, except the changed fields. */
export const originOf = (changed: Partial<SessionOrigin> = {}): SessionOrigin => ({
  ...{ number: 1, policy: 0, due: zero, startedAt: zero },
  ...changed,
});

export const exchangeOf = (changed: Partial<Exchange> = {}): Exchange => ({
  ...{ sentAt: zero, firstByteAt: zero, endedAt: zero, connectMs: undefined, reused: true, failure: undefined },
  ...{ status: 200, retryAfter: undefined, body: '', isUtf8: true, detail: '' },
  ...changed,
});

export const attemptOf = (changed: Partial<AttemptRecord> = {}): AttemptRecord => ({
  ...{ session: originOf(), operation: 'message', turn: 1, attempt: 1, countedFrom: zero, outcome: 'ok' },
  ...{ detail: '', message: '', costMillionths: 0, exchange: exchangeOf() },
  ...changed,
});

export const retryOf = (changed: Partial<RetryRecord> = {}): RetryRecord => ({
  ...{ session: originOf(), operation: 'message', countedFrom: zero, cause: 'rate_limited', plannedMs: ms(0) },
  ...{ actualMs: ms(0), retryAfter: 'absent', sentAt: zero },
  ...changed,
});

export const turnOf = (changed: Partial<TurnRecord> = {}): TurnRecord => ({
  ...{ session: originOf(), turn: 1, due: zero, ready: zero, firstSentAt: zero, endedAt: zero },
  ...{ outcome: 'ok', attempts: 1, backoffMs: ms(0), gaveUp: undefined },
  ...changed,
});

/** Sends a turn and ends it. */
export function playTurn(observer: Observer, changed: Partial<TurnRecord> = {}): void {
  const turn = turnOf(changed);
  observer.turnSent(turn.session, turn.ready, turn.firstSentAt);
  observer.turn(turn);
}
