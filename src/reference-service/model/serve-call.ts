import type { ModelApiName } from '../../protocol/model-call.ts';
import { keyIn } from '../http/receive-body.ts';
import { isProblem, modelNotFound, type Problem } from '../model-api/model-api.ts';
import { readEmbedding } from './embeddings.ts';
import type { ModelContext } from './model-context.ts';
import { ModelWork, type WantedReply } from './model-work.ts';
import { callApis } from './read-call.ts';
import { drawsOf, readReceived, type ReadInput, type ReceivedCall } from './received-call.ts';
import { sendReply } from './send-reply.ts';

/** Serves one call. The order of checks: key, body, model, limits; then faults; then a slot, and the work. */
export function serveCall(context: ModelContext, received: ReceivedCall): void {
  const { call } = received;
  const read = readReceived(context, received);
  const place = call.start(read.facts);
  const wanted = check(context, received, read);
  if (isProblem(wanted)) {
    const body = errorBody(call.api, wanted);
    return sendReply(context, call, { outcome: 'rejected', status: wanted.status, body });
  }
  const admission = context.limits.admit(keyIn(received.headers) ?? '', call.api, read.facts.inputTokens);
  if (admission.refusal !== undefined) {
    const body = errorBody(call.api, { status: 429, message: admission.refusal });
    return sendReply(context, call, { outcome: 'rate_limited', status: 429, body, headers: admission.headers });
  }
  const draws = drawsOf(context.options.seed, read.facts, place, call.id);
  new ModelWork(context, call, { ...read, ...admission, wanted, draws }).begin();
}

/** Formats an error as the API of a call does. */
export function errorBody(api: ModelApiName, problem: Problem): string {
  return callApis[api === 'embeddings' ? 'chat' : api].api.error(problem);
}

function check(context: ModelContext, { call, headers, bytes }: ReceivedCall, read: ReadInput): WantedReply | Problem {
  const key = keyIn(headers)?.replace(/^Bearer\s+/i, '');
  if (context.keys !== undefined && (key === undefined || !context.keys.has(key)))
    return {
      status: 401,
      message: key === undefined ? 'You did not provide an API key.' : 'Incorrect API key provided.',
    };
  if (bytes === undefined) return { status: 413, message: 'Request body is too large.' };
  if (read.body === undefined)
    return { status: 400, message: 'We could not parse the JSON body of your request: expected a JSON object.' };
  const wanted = wantedReply(call.api, read.body);
  if (isProblem(wanted)) return wanted;
  const { request } = wanted;
  if (context.models !== undefined && !context.models.has(request.model)) return modelNotFound(request.model);
  const kept = 'kept' in request && request.kept !== undefined ? context.store.find(request.kept) : [];
  return isProblem(kept) ? kept : wanted;
}

function wantedReply(name: ModelApiName, body: Readonly<Record<string, unknown>>): WantedReply | Problem {
  if (name === 'embeddings') {
    const request = readEmbedding(body);
    return isProblem(request) ? request : { kind: 'embedding', request };
  }
  const { api } = callApis[name];
  const request = api.read(body);
  if (isProblem(request)) return request;
  const choices = name === 'chat' ? (body['n'] ?? 1) : 1;
  if (typeof choices !== 'number' || !Number.isInteger(choices) || choices < 1 || choices > 128)
    return { status: 400, message: 'n: expected a whole number from 1 to 128', param: 'n' };
  return { kind: 'generation', api, request, choices };
}
