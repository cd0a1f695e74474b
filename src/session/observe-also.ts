import type { Observer } from './observer.ts';

/** Events that a second observer may receive. */
type Also = Partial<Pick<Observer, 'attempt' | 'turn' | 'sessionEnded'>>;

/** Wraps an observer, which receives everything as before; some events go to a second observer afterwards. */
export function observeAlso(observer: Observer, also: Also): Observer {
  return {
    sessionStarted: (session) => observer.sessionStarted(session),
    sessionCreated: (session, createdAt) => observer.sessionCreated(session, createdAt),
    sessionBegun: (session) => observer.sessionBegun(session),
    socketsChanged: (by, at) => observer.socketsChanged(by, at),
    unsolicitedFrame: (session, at) => observer.unsolicitedFrame(session, at),
    turnSent: (session, ready, sentAt) => observer.turnSent(session, ready, sentAt),
    attempt: (record) => {
      observer.attempt(record);
      also.attempt?.(record);
    },
    integrity: (record) => observer.integrity(record),
    retry: (record) => observer.retry(record),
    createGaveUp: (session, why, endedAt) => observer.createGaveUp(session, why, endedAt),
    turn: (record) => {
      observer.turn(record);
      also.turn?.(record);
    },
    sessionEnded: (record) => {
      observer.sessionEnded(record);
      also.sessionEnded?.(record);
    },
    sessionDropped: (due, policy) => observer.sessionDropped(due, policy),
    sessionsNotStarted: (left) => observer.sessionsNotStarted(left),
  };
}
