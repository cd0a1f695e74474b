import type { Instant } from '../../base/time.ts';
import { failures, type Delivery } from '../http/delivery.ts';
import type { Caller } from './directory.ts';
import type { Incoming } from '../http/receive-body.ts';
import type { ServiceContext } from './service-context.ts';
import { parseJson } from '../../base/json.ts';
import { isObject } from '../../base/is-object.ts';

/** The checks before the body is read: the key, its rate, the media type. */
export function admit(room: ServiceContext, incoming: Incoming, now: Instant): Caller | Delivery {
  const caller = room.directory.caller(incoming.authorization);
  if (isRefused(caller)) return caller;
  const tooMany = room.limits.refuse(caller.key, now);
  if (tooMany !== undefined) return tooMany;
  return incoming.contentType?.startsWith('application/json') ? caller : failures.wrongMediaType;
}

/** Whether a check ended with a refusal. */
export function isRefused(checked: object): checked is Delivery {
  return 'outcome' in checked;
}

/** The JSON object in a body. */
export function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const body: unknown = parseJson(text);
    return isObject(body) ? body : undefined;
  } catch {
    return undefined;
  }
}
