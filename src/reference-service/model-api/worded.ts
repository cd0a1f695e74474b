import { errorIn } from '../exchange/apply-fault.ts';
import type { FaultEffect } from '../../scenario/embedded-faults.ts';
import type { Delivery } from '../http/delivery.ts';
import { refusal, type ServedApi } from './served-api.ts';

/** An answer with an error of chat-messaging, as another API words it; the end of a connection as it is. */
export function worded(api: ServedApi, { status, body, retryAfter, ...delivery }: Delivery): Delivery {
  if (status === 0) return { ...delivery, status, body, retryAfter };
  return refusal(api, { status, message: errorIn(body) ?? `Status ${String(status)}` }, retryAfter);
}

/** The same for what a fault does in place of work; a body that the fault brings is sent as it is. */
export function wordedFault(api: ServedApi, effect: FaultEffect | undefined, early: Delivery): Delivery {
  return effect?.does === 'answer' && effect.body !== null ? early : worded(api, early);
}
