import { later } from '../../base/time.ts';
import type { FaultEffect } from '../../scenario/embedded-faults.ts';
import { admit, isRefused } from '../exchange/admit.ts';
import { timestampOf } from '../exchange/service-context.ts';
import { contentOf, type ReplyRequest, type MadeReply, usageOf } from './make-reply.ts';
import {
  isProblem,
  modelNotFound,
  newId,
  refusal,
  type Problem,
  type ModelApi,
  convertError,
  convertFault,
} from './model-api.ts';
import { sendUnderFault, inPlaceOfWork } from '../exchange/apply-fault.ts';
import type { NewTurn, StoredTurn } from '../conversation/conversation.ts';
import { success, type Delivery } from '../http/delivery.ts';
import type { Incoming } from '../http/receive-body.ts';
import { briefingIn, type Briefing } from '../conversation/instructions.ts';
import { recall, type Recalled } from './recall.ts';
import type { Prompt, ProviderReply } from '../conversation/provider.ts';
import type { ServerExchange } from '../exchange/server-exchange.ts';
import { canShow, placeFault } from './place-fault.ts';
import { ExchangeStream } from './exchange-stream.ts';
import { joinTurns, transcriptOf, turnsOf, type Transcript } from '../conversation/transcript.ts';

/** Serves one message. The order of checks: key, body, model, the continued conversation; then faults; then the work. */
export function serveApi(exchange: ServerExchange, incoming: Incoming, api: ModelApi): void | Promise<void> {
  const { context } = exchange;
  const checked = check(exchange, incoming, api);
  if (isRefused(checked)) return exchange.send(convertError(api, checked));
  if (isProblem(checked)) return exchange.send(refusal(api, checked));
  const effect = context.faults.strike('message', exchange.elapsed, (each) =>
    canShow(each, api, { ...checked.request, isOnSocket: checked.isOnSocket }),
  );
  const early = inPlaceOfWork(effect, context.clock);
  if (early !== undefined) return exchange.send(convertFault(api, effect, early));
  const work: Work = { ...checked, exchange, api, createdMs: context.clock.wallNow(), effect };
  const { queue } = checked.recalled;
  if (queue === undefined) return reply(work);
  if (!queue.isFree) exchange.watch();
  queue.run(() => exchange.run(() => reply(work)));
}

interface Checked {
  request: ReplyRequest;
  transcript: Transcript;
  briefing: Briefing;
  recalled: Recalled;
  isOnSocket: boolean;
}

interface Work extends Checked {
  exchange: ServerExchange;
  api: ModelApi;
  createdMs: number;
  effect: FaultEffect | undefined;
}

function check(exchange: ServerExchange, incoming: Incoming, api: ModelApi): Checked | Delivery | Problem {
  const { context } = exchange;
  const admitted = admit(exchange, incoming);
  if (isRefused(admitted)) return admitted;
  const request = api.read(admitted.body, incoming.params);
  if (isProblem(request)) return request;
  const agent = context.directory.agent(request.model, admitted.caller);
  if (isRefused(agent)) return agent.status === 404 ? modelNotFound(request.model) : agent;
  const recalled =
    request.kept === undefined ? forgetful : recall(context, agent.id, { ...request.kept, socket: incoming.socket });
  if (isProblem(recalled)) return recalled;
  const { instructions, values = {}, said } = request;
  const briefing = instructions === undefined ? agent.brief(values) : briefingIn(instructions);
  return { request, transcript: transcriptOf(said), briefing, recalled, isOnSocket: incoming.socket !== undefined };
}

/** For clients that keep the conversation. */
const forgetful: Recalled = { earlier: turnsOf([]), queue: undefined, remember: () => '' };

function reply(work: Work): void | Promise<void> {
  const { exchange, briefing, transcript, recalled, request, effect } = work;
  const { message, toolResult } = transcript;
  const earlier = joinTurns(recalled.earlier, transcript.earlier);
  const prompt = { briefing, earlier, message, toolResult, hasTools: request.hasTools };
  // Some faults send a body in place of a stream.
  const hasBody = effect?.does === 'malformed' || effect?.does === 'break';
  if (request.isStreamed && !hasBody) return stream(work, prompt);
  const answer = exchange.context.provider.answer(prompt);
  if (!(answer instanceof Promise)) return finish(work, answer);
  exchange.watch();
  return answer.then((made) => finish(work, made));
}

/** The latency of a reply that waited for another one, in its conversation, begins after that. */
function stream(work: Work, prompt: Prompt): Promise<void> {
  const { exchange, recalled, api, effect, isOnSocket } = work;
  const { clock, provider } = exchange.context;
  exchange.watch();
  const since = recalled.queue === undefined ? exchange.arrivedAt : clock.now();
  return provider.stream(prompt, since, async (answer, firstAt) => {
    if (answer.kind === 'failed') return finish(work, answer);
    const made = remember(work, answer);
    if (effect?.does === 'hold') await exchange.hold(later(firstAt, effect.forMs));
    await new ExchangeStream(exchange, api, made, placeFault(effect, made, isOnSocket)).play(firstAt);
  });
}

function finish(work: Work, answer: ProviderReply): void | Promise<void> {
  const { exchange, effect, api } = work;
  if (answer.kind === 'failed') {
    const problem = { status: answer.status, message: 'Chat provider error' };
    return exchange.send(refusal(api, problem, answer.retryAfter));
  }
  return sendUnderFault(exchange, effect, success(200, api.whole(remember(work, answer))), api.broken);
}

/** The turn is stored before the reply is sent: a failure on the way to the client does not undo it. */
function remember(work: Work, answer: Exclude<ProviderReply, { kind: 'failed' }>): MadeReply {
  const { exchange, api, request, createdMs, recalled } = work;
  const content = contentOf(answer, request, exchange.context.options);
  const { count } = recalled.earlier;
  const earlier = (): readonly StoredTurn[] => recalled.earlier.remembered().filter(({ turn }) => turn <= count);
  // Before the turn is stored: `earlier` may be the live conversation.
  const usage = usageOf(content, request, recalled.earlier);
  const turn = turnOf(work, answer.kind === 'call' ? '' : content.tokens.join(''));
  const id = recalled.remember(turn, work.transcript.earlier);
  return {
    ...content,
    earlier,
    usage,
    request,
    id: id === '' ? newId(api.idPrefix) : id,
    itemId: newId(''),
    createdSeconds: Math.floor(createdMs / 1000),
  };
}

/** Returns the turn to store: the result of a tool is part of the turn that called it. */
function turnOf({ transcript, createdMs }: Work, response: string): NewTurn | undefined {
  if (transcript.toolResult !== undefined) return undefined;
  return { message: transcript.message, response, createdAt: timestampOf(createdMs) };
}
