import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { jsonObjectIn } from '../../base/json.ts';
import { withoutMarks } from '../../plan/guard-prompts.ts';
import { keyOf, randomOf, type Random } from '../../base/random.ts';
import { isProblem } from '../model-api/model-api.ts';
import { digestInput, type DigestedInput } from './input-blocks.ts';
import type { ModelContext } from './model-context.ts';
import type { CallPlace, CallStart } from '../../model-calls/model-observer.ts';
import type { OpenCall } from './open-call.ts';
import { tracesOf, withoutKeys } from './call-headers.ts';
import { callApis, noInput, type CallInput } from './read-call.ts';

/** A call whose request was read. */
export interface ReceivedCall {
  call: OpenCall;
  /** Path of the route. */
  path: string;
  headers: IncomingHttpHeaders;
  /** `undefined`: too large. */
  bytes: Buffer | undefined;
}

/** Input of a request, which need not be valid. */
export interface ReadInput {
  input: CallInput;
  /** `undefined`: not a JSON object. */
  body: Readonly<Record<string, unknown>> | undefined;
  /** Number of tokens of each item, the tools first. */
  tokens: readonly number[];
  digested: DigestedInput;
  /** Digest for draws: without the marks of the integrity guard, which are different in every run. */
  drawDigest: string;
  facts: Omit<CallStart, 'id' | 'arrivedAt' | 'api'>;
}

/** Reads the parts of a request that its start reports. */
export function readReceived(context: ModelContext, received: ReceivedCall): ReadInput {
  const { call, path, headers, bytes } = received;
  const text = bytes?.toString();
  const body = text === undefined ? undefined : jsonObjectIn(text);
  const input = inputOf(context, call, body);
  const tools = input.tools.length === 0 ? [] : [{ role: 'system' as const, text: JSON.stringify(input.tools) }];
  const items = [...tools, ...input.items];
  const tokens = items.map((item) => context.count(item.text));
  const model = typeof body?.['model'] === 'string' ? withoutKeys(body['model'], headers) : '';
  const digested = digestInput(model, items);
  const { 'x-stainless-retry-count': retries } = headers;
  const facts = {
    model,
    ...tracesOf(headers, context.options),
    userText: input.items.findLast(({ role }) => role === 'user')?.text ?? '',
    digest: digestOf(`${path}\n${text ?? ''}`),
    retryCount: typeof retries === 'string' && /^\d{1,6}$/.test(retries) ? Number(retries) : 0,
    blocks: digested.blocks,
    inputTokens: tokens.reduce((sum, count) => sum + count, 0),
  };
  const unmarked = text === undefined ? '' : withoutMarks(text);
  const drawDigest = unmarked === (text ?? '') ? facts.digest : digestOf(`${path}\n${unmarked}`);
  return { input, body, tokens, digested, drawDigest, facts };
}

const digestOf = (text: string): string => createHash('sha1').update(text).digest('hex');

/** Returns the input, with the items that the service keeps for a request that continues them. */
function inputOf(context: ModelContext, { api }: OpenCall, body: ReadInput['body']): CallInput {
  if (body === undefined) return noInput;
  const input = callApis[api].input(body);
  if (api !== 'responses' || (body['previous_response_id'] ?? body['conversation'] ?? undefined) === undefined)
    return input;
  const request = callApis.responses.api.read(body);
  const earlier = isProblem(request) || request.kept === undefined ? [] : context.store.find(request.kept);
  return isProblem(earlier) ? input : { ...input, items: [...earlier, ...input.items] };
}

/** Streams of draws of one call, by purpose. */
export type Draws = (purpose: 'time' | 'fault' | 'reply' | 'word') => Random;

/**
 * Returns the draws of a call: its place in the run decides, or its body, never the order of arrival. Words are unique in
 * either case. Without a place, faults also depend on the number of equal calls before, so that a retry can succeed.
 */
export function drawsOf(
  seed: number,
  { drawDigest: digest, facts: { retryCount } }: Pick<ReadInput, 'drawDigest' | 'facts'>,
  place: CallPlace | undefined,
  { id, equalBefore }: { id: number; equalBefore: number },
): Draws {
  const own =
    place === undefined
      ? [keyOf(digest.slice(0, 20)), keyOf(digest.slice(20)), retryCount]
      : [place.session, place.turn, place.call];
  const further = { word: id, fault: equalBefore, time: 0, reply: 0 };
  return (purpose) => randomOf(seed, ...own, place === undefined ? further[purpose] : 0, keyOf(purpose));
}
