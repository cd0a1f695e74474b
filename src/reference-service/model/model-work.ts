import { later, ms, type Instant } from '../../base/time.ts';
import { sampleDuration } from '../../plan/distributions.ts';
import type { Usage } from '../../protocol/protocol.ts';
import { isStreamEffect, type FaultEffect } from '../../scenario/embedded-faults.ts';
import { chatApi } from '../apis/openai-chat/openai-chat.ts';
import { inPlaceOfWork } from '../exchange/apply-fault.ts';
import type { MadeReply, ReplyRequest } from '../model-api/make-reply.ts';
import { breakingAt, convertFault, type ModelApi } from '../model-api/model-api.ts';
import { placeFault } from '../model-api/place-fault.ts';
import type { Admission } from './call-limits.ts';
import { embeddingsBody, type EmbeddingRequest } from './embeddings.ts';
import type { Answer } from './make-answer.ts';
import type { ModelContext } from './model-context.ts';
import type { OpenCall } from './open-call.ts';
import { CallPlayback, tokensIn, type PlayedReply } from './play-call.ts';
import type { InputItem } from './read-call.ts';
import type { Draws, ReadInput } from './received-call.ts';
import { sendReply } from './send-reply.ts';

/** The reply that a valid request requires. */
export type WantedReply =
  | { kind: 'embedding'; request: EmbeddingRequest }
  | { kind: 'generation'; request: ReplyRequest; api: ModelApi; choices: number };
type Generation = Extract<WantedReply, { kind: 'generation' }>;

interface WorkParts extends ReadInput, Omit<Admission, 'refusal'> {
  wanted: WantedReply;
  draws: Draws;
}

/** The work on one admitted call: its fault, its slot and its reply. */
export class ModelWork {
  readonly #context: ModelContext;
  readonly #call: OpenCall;
  readonly #parts: WorkParts;

  constructor(context: ModelContext, call: OpenCall, parts: WorkParts) {
    this.#context = context;
    this.#call = call;
    this.#parts = parts;
  }

  begin(): void {
    const { faults, slots, options, clock } = this.#context;
    const effect =
      options.faults.length === 0
        ? undefined
        : faults.strike(
            'message',
            this.#context.elapsed(),
            (each) => this.#canShow(each),
            this.#parts.draws('fault')(),
          );
    const early = inPlaceOfWork(effect, clock);
    if (effect !== undefined && early !== undefined) {
      this.#call.inject(effect.kind);
      if (effect.does === 'end') return this.#endConnection(effect.outcome);
      const { status, body, retryAfter } = convertFault(this.#api, effect, early);
      const headers = retryAfter === undefined ? [] : ['retry-after', retryAfter];
      return sendReply(this.#context, this.#call, { outcome: 'ok', status, body, headers });
    }
    if (options.capacity === null) return this.#reply(effect);
    this.#call.hold(slots.take(() => this.#call.guard(() => this.#reply(effect))));
  }

  /** The API of errors, and of generations; errors of embeddings are those of chat completions. */
  get #api(): ModelApi {
    const { wanted } = this.#parts;
    return wanted.kind === 'embedding' ? chatApi : wanted.api;
  }

  /** Only a streamed reply shows the faults of one, and only some APIs have a last line to omit. */
  #canShow(effect: FaultEffect): boolean {
    const { wanted } = this.#parts;
    const isStreamed = wanted.kind === 'generation' && wanted.request.isStreamed;
    if (effect.does === 'leave_out_done') return isStreamed && this.#api.hasDone;
    return isStreamed || !isStreamEffect(effect);
  }

  /** A call that hangs ends when its client disconnects. */
  #endConnection(outcome: 'reset' | 'closed' | 'hung'): void {
    if (outcome === 'hung') return;
    const { socket } = this.#call.response.req;
    this.#call.end('ok', { status: 0 });
    if (outcome === 'reset') this.#context.connections.reset(socket);
    else socket.destroySoon();
  }

  #reply(effect: FaultEffect | undefined): void {
    if (this.#call.isOver) return;
    const { wanted, digested, tokens, facts, draws } = this.#parts;
    const { cache, options, clock } = this.#context;
    const cached = wanted.kind === 'embedding' ? 0 : cache.take(digested, tokens);
    const draw = draws('time');
    const latency = sampleDuration(options.latency, draw)();
    const inputMs = (options.inputTokenTime * (facts.inputTokens - cached)) / 1000;
    const heldMs = effect?.does === 'hold' ? effect.forMs : 0;
    if (effect?.does === 'hold') this.#call.inject(effect.kind);
    const firstAt = later(clock.now(), ms(latency + inputMs + heldMs));
    if (wanted.kind === 'embedding') return this.#embed(wanted.request, firstAt, effect);
    const answer = this.#answer(wanted.request);
    const made = this.#made(wanted, answer, cached);
    const drawGap = sampleDuration(options.tokenTime, draw);
    // Some faults send a body in place of a stream.
    if (wanted.request.isStreamed && effect?.does !== 'malformed' && effect?.does !== 'break')
      return this.#play(made, { firstAt, drawGap, effect, word: answer.word });
    let lengthMs = 0;
    for (let count = tokensIn(made).length; count > 1; count--) lengthMs += drawGap();
    this.#call.usage = () => usageOf(made, made.usage.output);
    this.#send(later(firstAt, ms(lengthMs)), effect, { body: wanted.api.whole(made), word: answer.word });
  }

  #embed(request: EmbeddingRequest, due: Instant, effect: FaultEffect | undefined): void {
    const { inputTokens } = this.#parts.facts;
    this.#call.usage = () => ({ inputTokens, outputTokens: undefined });
    this.#send(due, effect, { body: embeddingsBody(request, inputTokens), word: undefined });
  }

  #answer(request: ReplyRequest): Answer {
    const { input, draws } = this.#parts;
    return this.#context.answers.make({
      ...input,
      model: request.model,
      maxTokens: request.maxTokens,
      draw: draws('reply'),
      wordDraw: draws('word'),
      newId: this.#context.newId,
    });
  }

  #made({ api, request, choices }: Generation, answer: Answer, cached: number): MadeReply {
    const { spend, input, facts } = this.#parts;
    const { store, clock, newId, count } = this.#context;
    const id = newId(api.idPrefix);
    const output = choices * outputTokens(answer, count);
    spend(output);
    if (request.kept !== undefined) store.keep(id, request.kept, [...input.items, ...itemsOf(answer)]);
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

  #play(
    made: MadeReply,
    {
      effect,
      ...timing
    }: Pick<PlayedReply, 'drawGap' | 'word'> & {
      firstAt: Instant;
      effect: FaultEffect | undefined;
    },
  ): void {
    const tokens = tokensIn(made);
    const fault = placeFault(effect, { reasoning: [], tokens });
    const headers = this.#headers();
    const playback = new CallPlayback(this.#context, this.#call, { api: this.#api, made, fault, headers, ...timing });
    const perToken = made.usage.output / Math.max(1, tokens.length);
    this.#call.usage = () => usageOf(made, Math.round(playback.sent * perToken));
    playback.play(timing.firstAt);
  }

  #headers(): readonly string[] {
    const name = this.#call.api === 'messages' ? 'request-id' : 'x-request-id';
    return [...this.#parts.headers, name, this.#context.newId('req_')];
  }

  #send(due: Instant, effect: FaultEffect | undefined, good: { body: string; word: string | undefined }): void {
    this.#call.wait(due, () => {
      const body = this.#broken(good.body, effect);
      const isCut = effect?.does === 'cut';
      if (effect !== undefined && (isCut || body !== good.body)) this.#call.inject(effect.kind);
      const reply = { ...good, body, isCut, due, outcome: 'ok', status: 200, headers: this.#headers() } as const;
      sendReply(this.#context, this.#call, reply);
    });
  }

  /** Returns a body as the fault breaks it. */
  #broken(body: string, effect: FaultEffect | undefined): string {
    if (effect?.does === 'malformed') return body.slice(0, body.length >> 1);
    if (effect?.does !== 'break') return body;
    const breakBody = this.#parts.wanted.kind === 'embedding' ? breakingAt('data') : this.#api.broken;
    return JSON.stringify(breakBody(effect.breaks, 'message', body));
  }
}

const usageOf = ({ usage: { input, cached } }: MadeReply, output: number): Usage => ({
  inputTokens: input,
  outputTokens: output,
  cachedInputTokens: cached,
});

function outputTokens({ tool, tokens, others = [] }: Answer, count: (text: string) => number): number {
  if (tool === undefined) return count(tokens.join(''));
  return [tokens, ...others.map((call) => call.tokens)].reduce((sum, each) => sum + count(each.join('')), 0);
}

/** Returns the items that a reply adds to its conversation. */
function itemsOf({ tool = '', tokens, others = [] }: Answer): InputItem[] {
  const calls = [{ tool, tokens }, ...others];
  return calls.map((call) => ({ role: 'assistant', text: call.tool + call.tokens.join('') }));
}
