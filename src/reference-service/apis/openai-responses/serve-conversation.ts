import { isRefused, admit } from '../../exchange/admit.ts';
import { giveSpoiled, inPlaceOfWork } from '../../exchange/apply-fault.ts';
import { breakingAt } from '../../model-api/breaking-at.ts';
import type { AskedExchange } from '../../model-api/serve-api.ts';
import type { ServedApi } from '../../model-api/served-api.ts';
import { worded, wordedFault } from '../../model-api/worded.ts';
import { failures, type Delivery } from '../../http/delivery.ts';
import { readObject } from '../../exchange/read-body.ts';
import { elapsedAt, type ServiceContext } from '../../exchange/service-context.ts';
import { conversationIdOf } from '../../model-api/kept-ids.ts';

export const conversationsPath = '/v1/conversations';

/** Creates a conversation: key, body; then faults; then the conversation, which any agent may have. */
export function serveConversation(asked: AskedExchange, api: ServedApi): void | Promise<void> {
  const { room, exchange } = asked;
  const refused = check(asked);
  if (refused !== undefined) return exchange.give(worded(api, refused));
  const effect = room.faults.strike('create', elapsedAt(room, exchange.arrivedAt));
  const early = inPlaceOfWork(effect, room.clock);
  if (early !== undefined) return exchange.give(wordedFault(api, effect, early));
  return giveSpoiled(effect, create(room), { exchange, clock: room.clock, broken: breakingAt('id') });
}

function check({ room, exchange, incoming }: AskedExchange): Delivery | undefined {
  const caller = admit(room, incoming, exchange.arrivedAt);
  if (isRefused(caller)) return caller;
  if (incoming.body === undefined) return failures.tooLarge;
  return readObject(incoming.body) === undefined ? failures.notJson : undefined;
}

function create(room: ServiceContext): Delivery {
  const id = conversationIdOf(room.sessions.create('').id);
  const created_at = Math.floor(room.clock.wallNow() / 1000);
  const body = JSON.stringify({ id, object: 'conversation', created_at, metadata: {} });
  return { outcome: 'ok', status: 200, body, retryAfter: undefined };
}
