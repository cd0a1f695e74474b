import type { Exchange } from '../../src/session/send.ts';

/** Returns an exchange that ended with a whole response, on a reused connection, read at once at its end. */
export function wholeExchange({
  sentAt,
  endedAt,
  status,
  body,
}: Pick<Exchange, 'sentAt' | 'endedAt' | 'status' | 'body'>): Exchange {
  return {
    sentAt,
    endedAt,
    status,
    body,
    firstByteAt: endedAt,
    connectMs: undefined,
    reused: true,
    failure: undefined,
    retryAfter: undefined,
    isUtf8: true,
    detail: '',
  };
}
