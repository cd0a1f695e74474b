import { instant } from '../../../base/time.ts';
import type { Instant } from '../../../base/time.ts';
import type { Exchange } from '../../../session/send.ts';

/** An exchange of which only the start is known. All exchanges begin as this, so that all have one shape. */
export function blankExchange(sentAt: Instant, reused: boolean, isHttp2 = false): Exchange {
  return {
    sentAt,
    firstByteAt: undefined,
    endedAt: sentAt,
    connectMs: undefined,
    reused,
    failure: undefined,
    status: 0,
    retryAfter: undefined,
    date: undefined,
    contentType: undefined,
    location: undefined,
    body: '',
    isUtf8: true,
    detail: '',
    stream: undefined,
    content: undefined,
    headers: undefined,
    isHttp2,
  };
}

/** A placeholder for none. */
export const noExchange: Exchange = Object.freeze(blankExchange(instant(0), false));
