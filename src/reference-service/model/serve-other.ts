import type { IncomingMessage, ServerResponse } from 'node:http';
import { callApis } from './read-call.ts';
import { servedApi as anthropic } from '../apis/anthropic-messages/anthropic-messages.ts';
import { servedApi as openai } from '../apis/openai-chat/openai-chat.ts';
import { sendJson, writeDelivery } from '../http/write-delivery.ts';
import { modelNotFound, refusal, type Problem } from '../model-api/model-api.ts';
import type { ModelContext } from './model-context.ts';

interface OtherRequest {
  /** Path without the version. */
  path: string;
  request: IncomingMessage;
  response: ServerResponse;
}

/** Names of the models to list if any name is accepted. */
const usualModels = ['chat-load-model'];

/** Serves a request that is not a model call: the list of models, a new conversation, or an unknown path. */
export function serveOther(context: ModelContext, { path, request, response }: OtherRequest): void {
  request.resume();
  const { headers, method = '' } = request;
  const isAnthropic = headers['anthropic-version'] !== undefined;
  const { api } = callApis[isAnthropic ? 'messages' : 'chat'];
  const refuse = (problem: Problem): void => void writeDelivery(refusal(api, problem), response, context.connections);
  const names = [...(context.models ?? usualModels)];
  const { models } = isAnthropic ? anthropic : openai;
  const list = (ids: readonly string[]) => models?.list(ids, context.clock.wallNow()) as { data: object[] };
  if (method === 'GET' && path === '/models') return sendJson(response, 200, list(names));
  if (method === 'GET' && path.startsWith('/models/')) {
    const name = decoded(path.slice('/models/'.length));
    if (name === undefined || !(context.models?.has(name) ?? true)) return refuse(modelNotFound(name ?? ''));
    return sendJson(response, 200, list([name]).data[0] ?? {});
  }
  if (method === 'POST' && path === '/conversations') {
    const id = context.newId('conv_');
    context.store.create(id);
    const created_at = Math.floor(context.clock.wallNow() / 1000);
    return sendJson(response, 200, { id, object: 'conversation', created_at, metadata: {} });
  }
  refuse({
    status: 404,
    message: `Invalid URL (${method} ${(request.url ?? '').replace(/[?#].*/, '').slice(0, 200)})`,
  });
}

/** Returns a decoded part of a path; `undefined` if it is malformed. */
function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
