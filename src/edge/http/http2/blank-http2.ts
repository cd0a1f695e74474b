import type { Instant } from '../../../base/time.ts';
import type { Exchange } from '../../../session/send.ts';
import { blankExchange } from '../response/blank-exchange.ts';

/** An exchange over HTTP/2 of which only the start is known. */
export function blankHttp2(sentAt: Instant): Exchange {
  const exchange = blankExchange(sentAt, false);
  exchange.isHttp2 = true;
  return exchange;
}
