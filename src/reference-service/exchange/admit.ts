import { jsonObjectIn } from '../../base/json.ts';
import { failures, type Delivery } from '../http/delivery.ts';
import type { Incoming } from '../http/receive-body.ts';
import type { Caller } from './directory.ts';
import type { ServerExchange } from './server-exchange.ts';

/** A caller with the JSON object of its request. */
interface Admitted {
  caller: Caller;
  body: Record<string, unknown>;
}

/** Checks, in this order: the key, its rate, the media type, the body. */
export function admit({ context, arrivedAt }: ServerExchange, incoming: Incoming): Admitted | Delivery {
  const caller = context.directory.caller(incoming.authorization);
  if (isRefused(caller)) return caller;
  const tooMany = context.limits.refuse(caller.key, arrivedAt);
  if (tooMany !== undefined) return tooMany;
  if (incoming.contentType?.startsWith('application/json') !== true) return failures.wrongMediaType;
  if (incoming.body === undefined) return failures.tooLarge;
  const body = jsonObjectIn(incoming.body);
  return body === undefined ? failures.notJson : { caller, body };
}

/** Reports whether a check ended with a refusal. */
export function isRefused(checked: object): checked is Delivery {
  return 'outcome' in checked;
}
