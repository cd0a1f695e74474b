import type { IncomingHttpHeaders } from 'node:http';
import { isRefused } from '../exchange/admit.ts';
import type { Delivery } from '../http/delivery.ts';
import type { ServiceContext } from '../exchange/service-context.ts';
import { keyIn } from '../http/key-in.ts';
import { servedApis } from '../apis/served-apis.ts';
import { worded } from '../model-api/worded.ts';

/** The agents that a key may talk to, as the API lists models that the headers are of. */
export function listModels(room: ServiceContext, headers: IncomingHttpHeaders): Pick<Delivery, 'status' | 'body'> {
  const isAnthropic = headers['anthropic-version'] !== undefined;
  const caller = room.directory.caller(keyIn(headers));
  if (isRefused(caller)) return worded(servedApis[isAnthropic ? 'anthropic-messages' : 'openai-chat'], caller);
  const ids = room.directory.agentsOf(caller).map(({ id }) => id);
  const createdMs = room.clock.wallNow();
  const list = isAnthropic ? anthropicList(ids, createdMs) : openaiList(ids, createdMs);
  return { status: 200, body: JSON.stringify(list) };
}

const openaiList = (ids: readonly string[], createdMs: number): object => ({
  object: 'list',
  data: ids.map((id) => ({ id, object: 'model', created: Math.floor(createdMs / 1000), owned_by: 'chat-load' })),
});

const anthropicList = (ids: readonly string[], createdMs: number): object => ({
  data: ids.map((id) => ({ type: 'model', id, display_name: id, created_at: new Date(createdMs).toISOString() })),
  has_more: false,
  first_id: ids[0] ?? null,
  last_id: ids.at(-1) ?? null,
});
