import { later, ms, type Instant } from '../../base/time.ts';
import { sampleDuration } from '../../plan/distributions.ts';
import type { ModelApiName } from '../../protocol/model-call.ts';
import type { Usage } from '../../protocol/protocol.ts';
import type { FaultEffect } from '../../scenario/embedded-faults.ts';
import { inPlaceOfWork, underFault } from '../exchange/apply-fault.ts';
import { success } from '../http/delivery.ts';
import { keyIn } from '../http/receive-body.ts';
import type { MadeReply, ReplyRequest } from '../model-api/make-reply.ts';
import {
  convertFault,
  isProblem,
  modelNotFound,
  refusal,
  type ModelApi,
  type Problem,
} from '../model-api/model-api.ts';
import { canShow, placeFault } from '../model-api/place-fault.ts';
import { tokensIn } from '../model-api/playback.ts';
import type { Admission } from './call-limits.ts';
import { embeddingsBody, readEmbedding, type EmbeddingRequest } from './embeddings.ts';
import type { Answer } from './make-answer.ts';
import type { ModelContext } from './model-context.ts';
import type { OpenCall } from './open-call.ts';
import { CallStream } from './play-call.ts';
import { callApis, type InputItem } from './read-call.ts';
import { drawsOf, readReceived, type Draws, type ReadInput, type ReceivedCall } from './received-call.ts';

/** Serves one call. The order of checks: key, body, model, limits; then faults; then a slot, and the work. */
export function serveCall(context: ModelContext, received: ReceivedCall): void {
  const { call, headers } = received;
  const read = readReceived(context, received);
  const place = call.start(read.facts);
  const { api } = callApis[call.api];
  const wanted = check(context, received, read);
  if (isProblem(wanted)) return call.send(refusal(api, wanted), { outcome: 'rejected' });
  const admission = context.limits.admit(keyIn(headers) ?? '', call.api, read.facts.inputTokens);
  if (admission.refusal !== undefined) {
    const refused = refusal(api, { status: 429, message: admission.refusal });
    return call.send({ ...refused, headers: admission.headers }, { outcome: 'rate_limited' });
  }
  const draws = drawsOf(context.options.seed, read, place, {
    id: call.id,
    equalBefore: context.countEqual(read.facts.digest),
  });
  begin({ ...read, ...admission, context, call, api, wanted, draws });
}

function check(context: ModelContext, { call, headers, bytes }: ReceivedCall, read: ReadInput): Wanted | Problem {
  const key = keyIn(headers)?.replace(/^Bearer\s+/i, '');
  if (context.keys !== undefined && (key === undefined || !context.keys.has(key)))
    return {
      status: 401,
      message: key === undefined ? 'You did not provide an API key.' : 'Incorrect API key provided.',
    };
  if (bytes === undefined) return { status: 413, message: 'Request body is too large.' };
  if (read.body === undefined)
    return { status: 400, message: 'We could not parse the JSON body of your request: expected a JSON object.' };
  const wanted = wantedIn(call.api, read.body);
  if (isProblem(wanted)) return wanted;
  const { request } = wanted;
  if (context.models !== undefined && !context.models.has(request.model)) return modelNotFound(request.model);
  const kept = 'kept' in request && request.kept !== undefined ? context.store.find(request.kept) : [];
  return isProblem(kept) ? kept : wanted;
}

/** The reply that a valid request requires. */
type Wanted = { kind: 'embedding'; request: EmbeddingRequest } | Generation;
interface Generation {
  kind: 'generation';
  request: ReplyRequest;
  choices: number;
}

function wantedIn(name: ModelApiName, body: Readonly<Record<string, unknown>>): Wanted | Problem {
  if (name === 'embeddings') {
    const request = readEmbedding(body);
    return isProblem(request) ? request : { kind: 'embedding', request };
  }
  const request = callApis[name].api.read(body);
  if (isProblem(request)) return request;
  const choices = name === 'chat' ? (body['n'] ?? 1) : 1;
  if (typeof choices !== 'number' || !Number.isInteger(choices) || choices < 1 || choices > 128)
    return { status: 400, message: 'n: expected a whole number from 1 to 128', param: 'n' };
  return { kind: 'generation', request, choices };
}

/** The work on an admitted call. */
interface Work extends ReadInput, Omit<Admission, 'refusal'> {
  context: ModelContext;
  call: OpenCall;
  api: ModelApi;
  wanted: Wanted;
  draws: Draws;
}

function begin(work: Work): void {
  const { context, call, api, wanted, draws } = work;
  const { faults, slots, options, clock } = context;
  const shown = { isStreamed: wanted.kind === 'generation' && wanted.request.isStreamed };
  const effect =
    options.faults.length === 0
      ? undefined
      : faults.strike('message', context.elapsed(), (each) => canShow(each, api, shown), draws('fault')());
  const early = inPlaceOfWork(effect, clock);
  if (effect !== undefined && early !== undefined) {
    call.inject(effect.kind);
    // A call that hangs ends when its client disconnects.
    return early.outcome === 'hung' ? undefined : call.send(convertFault(api, effect, early));
  }
  call.hold(slots.take(() => call.guard(() => reply(work, effect))));
}

function reply(work: Work, effect: FaultEffect | undefined): void {
  const { context, call, wanted, digested, tokens, facts, draws } = work;
  if (call.isOver) return;
  const { cache, options, clock } = context;
  const cached = wanted.kind === 'embedding' ? 0 : cache.take(digested, tokens);
  const draw = draws('time');
  const latency = sampleDuration(options.latency, draw)();
  const inputMs = (options.inputTokenTime * (facts.inputTokens - cached)) / 1000;
  const heldMs = effect?.does === 'hold' ? effect.forMs : 0;
  if (effect?.does === 'hold') call.inject(effect.kind);
  const firstAt = later(clock.now(), ms(latency + inputMs + heldMs));
  if (wanted.kind === 'embedding') {
    call.usage = () => ({ inputTokens: facts.inputTokens, outputTokens: undefined });
    return sendWhole(work, effect, { due: firstAt, body: embeddingsBody(wanted.request, facts.inputTokens) });
  }
  const made = makeReply(work, wanted, cached);
  const drawGap = sampleDuration(options.tokenTime, draw);
  // Some faults send a body in place of a stream.
  const isStreamed = wanted.request.isStreamed && effect?.does !== 'malformed' && effect?.does !== 'break';
  if (isStreamed) return stream(work, made, { effect, firstAt, drawGap });
  let lengthMs = 0;
  for (let count = tokensIn(made).length; count > 1; count--) lengthMs += drawGap();
  // A call that ends before its reply is made has no output.
  call.usage = () => usageOf(made, 0);
  const usage = (): Usage => usageOf(made, made.usage.output);
  sendWhole(work, effect, { due: later(firstAt, ms(lengthMs)), body: work.api.whole(made), word: made.word, usage });
}

/** A reply with its unique word. */
type WordedReply = MadeReply & Pick<Answer, 'word'>;

function makeReply(work: Work, { request, choices }: Generation, cached: number): WordedReply {
  const { context, api, input, facts, draws } = work;
  const { answers, store, clock, newId, count } = context;
  const { model, maxTokens, kept } = request;
  const answer = answers.make({ ...input, model, maxTokens, draw: draws('reply'), wordDraw: draws('word'), newId });
  const id = newId(api.idPrefix);
  const parts = partsOf(answer);
  const output = choices * parts.reduce((sum, { text }) => sum + count(text), 0);
  work.spend(output);
  const added = parts.map(({ tool, text }): InputItem => ({ role: 'assistant', text: tool + text }));
  if (kept !== undefined) store.keep(id, kept, [...input.items, ...added]);
  return {
    ...answer,
    id,
    choices,
    request,
    createdSeconds: Math.floor(clock.wallNow() / 1000),
    reasoning: [],
    usage: { input: facts.inputTokens, output, reasoning: 0, cached },
  };
}

/** Returns the text of a reply, or the name and arguments of each of its calls. */
const partsOf = ({ tool = '', tokens, others = [] }: Answer): { tool: string; text: string }[] =>
  [{ tool, tokens }, ...others].map((call) => ({ tool: call.tool, text: call.tokens.join('') }));

const usageOf = ({ usage: { input, cached } }: MadeReply, output: number): Usage => ({
  inputTokens: input,
  outputTokens: output,
  cachedInputTokens: cached,
});

interface Streaming {
  effect: FaultEffect | undefined;
  firstAt: Instant;
  drawGap: ReturnType<typeof sampleDuration>;
}

function stream(work: Work, made: WordedReply, { effect, firstAt, drawGap }: Streaming): void {
  const { context, call, api } = work;
  const tokens = tokensIn(made);
  const fault = placeFault(effect, { reasoning: [], tokens });
  const { word } = made;
  const playing = new CallStream(context, call, { api, made, fault, word, drawGap, headers: headersOf(work) });
  const perToken = made.usage.output / Math.max(1, tokens.length);
  call.usage = () => usageOf(made, Math.round(playing.sent * perToken));
  playing.play(firstAt);
}

function headersOf({ call, context, headers }: Work): string[] {
  return [...headers, call.api === 'messages' ? 'request-id' : 'x-request-id', context.newId('req_')];
}

/** Sends a body when it is due. */
function sendWhole(
  work: Work,
  effect: FaultEffect | undefined,
  { due, body, word, usage }: { due: Instant; body: string; word?: string | undefined; usage?: OpenCall['usage'] },
): void {
  const { call, api } = work;
  call.wait(due, () => {
    if (usage !== undefined) call.usage = usage;
    const good = { ...success(200, body), headers: headersOf(work) };
    const delivery = underFault(effect, good, (breaks) => api.broken(breaks, 'message', body));
    if (effect !== undefined && delivery !== good) call.inject(effect.kind);
    call.send(delivery, { due, word });
  });
}
