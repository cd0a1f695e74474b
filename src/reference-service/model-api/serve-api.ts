import { later } from '../../base/time.ts';
import { isStreamEffect, type FaultEffect } from '../../scenario/embedded-faults.ts';
import { admit, isRefused, readObject } from '../exchange/admit.ts';
import type { AskedExchange } from '../exchange/served-api.ts';
import { elapsedAt, timestampOf, type ServiceContext } from '../exchange/service-context.ts';
import { contentOf, type Asked, type MadeReply, usageOf } from './make-reply.ts';
import { isProblem, newId, refusal, type Problem, type ModelApi, worded, wordedFault } from './model-api.ts';
import { giveSpoiled, inPlaceOfWork } from '../exchange/apply-fault.ts';
import type { NewTurn } from '../conversation/conversation.ts';
import { failures, type Delivery } from '../http/delivery.ts';
import { briefingIn, type Briefing } from '../conversation/instructions.ts';
import { recall, type Recalled } from './recall.ts';
import type { Prompt, ProviderReply } from '../conversation/provider.ts';
import type { ServerExchange } from '../exchange/server-exchange.ts';
import { placeFault } from './place-fault.ts';
import { Playback } from './playback.ts';
import { joinTurns, transcriptOf, turnsOf, type Transcript } from '../conversation/transcript.ts';

/** Serves one message of such an API. The order of checks: key, body, model, what is continued; then faults; then the work. */
export function serveApi(given: AskedExchange, api: ModelApi): void | Promise<void> {
  const { room, exchange } = given;
  const checked = check(given, api);
  if (isRefused(checked)) return exchange.give(worded(api, checked));
  if (isProblem(checked)) return exchange.give(refusal(api, checked));
  const shows = (effect: FaultEffect): boolean => canShow(effect, api, checked.asked);
  const effect = room.faults.strike('message', elapsedAt(room, exchange.arrivedAt), shows);
  const early = inPlaceOfWork(effect, room.clock);
  if (early !== undefined) return exchange.give(wordedFault(api, effect, early));
  const work: Work = { ...checked, room, exchange, api, createdMs: room.clock.wallNow(), effect };
  const { queue } = checked.recalled;
  if (queue === undefined) return reply(work);
  if (!queue.isFree) exchange.watch();
  queue.run(() => exchange.run(() => reply(work)));
}

interface Checked {
  asked: Asked;
  transcript: Transcript;
  briefing: Briefing;
  recalled: Recalled;
}

interface Work extends Checked {
  room: ServiceContext;
  exchange: ServerExchange;
  api: ModelApi;
  createdMs: number;
  effect: FaultEffect | undefined;
}

function check({ room, exchange, incoming }: AskedExchange, api: ModelApi): Checked | Delivery | Problem {
  const caller = admit(room, incoming, exchange.arrivedAt);
  if (isRefused(caller)) return caller;
  if (incoming.body === undefined) return failures.tooLarge;
  const body = readObject(incoming.body);
  if (body === undefined) return failures.notJson;
  const asked = api.read(body);
  if (isProblem(asked)) return asked;
  const agent = room.directory.agent(asked.model, caller);
  if (isRefused(agent)) return agent.status === 404 ? modelNotFound(asked.model) : agent;
  const recalled = asked.kept === undefined ? forgetful : recall(room, agent.id, asked.kept);
  if (isProblem(recalled)) return recalled;
  const briefing = asked.instructions === undefined ? agent.brief({}) : briefingIn(asked.instructions);
  return { asked, transcript: transcriptOf(asked.said), briefing, recalled };
}

/** Only a reply in pieces shows the faults of one, and only some APIs have a last line to leave out. */
function canShow(effect: FaultEffect, { hasDone }: ModelApi, { isStreamed }: Asked): boolean {
  if (effect.does === 'leave_out_done') return isStreamed && hasDone;
  return isStreamed || !isStreamEffect(effect);
}

/** Where the client keeps the conversation. */
const forgetful: Recalled = { earlier: turnsOf([]), queue: undefined, remember: () => '' };

const modelNotFound = (model: string): Problem => ({
  status: 404,
  message: `The model \`${model}\` does not exist or you do not have access to it.`,
  model,
  code: 'model_not_found',
});

function reply(work: Work): void | Promise<void> {
  const { room, exchange, briefing, transcript, recalled, asked } = work;
  const { message, toolResult } = transcript;
  const earlier = joinTurns(recalled.earlier, transcript.earlier);
  const prompt = { briefing, earlier, message, toolResult, hasTools: asked.hasTools };
  if (asked.isStreamed && !isWholeFault(work.effect)) return stream(work, prompt);
  const answer = room.provider.answer(prompt);
  if (!(answer instanceof Promise)) return finish(work, answer);
  exchange.watch();
  return answer.then((made) => finish(work, made));
}

/** Those that send a body in place of a stream. */
const isWholeFault = (effect: FaultEffect | undefined): boolean =>
  effect?.does === 'malformed' || effect?.does === 'break';

/** A reply that waited for another one's end, in its conversation, takes its time from then on. */
function stream(work: Work, prompt: Prompt): Promise<void> {
  const { room, exchange, recalled, api, effect } = work;
  exchange.watch();
  const since = recalled.queue === undefined ? exchange.arrivedAt : room.clock.now();
  return room.provider.stream(prompt, since, async (answer, firstAt) => {
    if (answer.kind === 'failed') return finish(work, answer);
    const made = remember(work, answer);
    if (effect?.does === 'hold') await exchange.hold(later(firstAt, effect.forMs));
    await new Playback({ room, exchange, api, made, fault: placeFault(effect, made) }).play(firstAt);
  });
}

function finish(work: Work, answer: ProviderReply): void | Promise<void> {
  const { room, exchange, effect, api } = work;
  if (answer.kind === 'failed') {
    const problem = { status: answer.status, message: 'Chat provider error' };
    return exchange.give(refusal(api, problem, answer.retryAfter));
  }
  const body = api.whole(remember(work, answer));
  return giveSpoiled(
    effect,
    { outcome: 'ok', status: 200, body, retryAfter: undefined },
    { exchange, clock: room.clock, broken: api.broken },
  );
}

/** The turn is remembered before the reply goes out: a failure on the way to the client does not undo it. */
function remember(work: Work, answer: Exclude<ProviderReply, { kind: 'failed' }>): MadeReply {
  const { room, api, asked, createdMs, recalled } = work;
  const content = contentOf(answer, asked, room.options);
  const usage = usageOf(content, asked, recalled.earlier);
  const id = recalled.remember(turnOf(work, answer.kind === 'call' ? '' : content.pieces.join('')));
  return {
    ...content,
    usage,
    asked,
    id: id === '' ? newId(api.idPrefix) : id,
    itemId: newId(''),
    createdSeconds: Math.floor(createdMs / 1000),
  };
}

/** What there is to keep: the result of a tool is part of the turn that called it. */
function turnOf({ transcript, createdMs }: Work, response: string): NewTurn | undefined {
  if (transcript.toolResult !== undefined) return undefined;
  return { message: transcript.message, response, createdAt: timestampOf(createdMs) };
}
