import type { MadeReply } from '../../model-api/make-reply.ts';
import type { Problem, Telling } from '../../model-api/model-api.ts';
import { openaiError } from './openai-error.ts';

/** The body of a completion that is not streamed. */
export function wholeCompletion(reply: MadeReply): string {
  const { id, asked, createdSeconds, finish } = reply;
  return JSON.stringify({
    id,
    object: 'chat.completion',
    created: createdSeconds,
    model: asked.model,
    choices: [{ index: 0, message: messageOf(reply), logprobs: null, finish_reason: finish }],
    usage: completionUsage(reply),
    service_tier: 'default',
    system_fingerprint: null,
  });
}

/** The tokens of a completion. */
function completionUsage({ usage: { input, output, reasoning } }: MadeReply) {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

function messageOf({ reasoning, pieces, tool, itemId }: MadeReply) {
  const thought = reasoning.length === 0 ? {} : { reasoning_content: reasoning.join('') };
  const base = { role: 'assistant', refusal: null, annotations: [], ...thought };
  if (tool === undefined) return { ...base, content: pieces.join('') };
  const call = { id: `call_${itemId}`, type: 'function', function: { name: tool, arguments: pieces.join('') } };
  return { ...base, content: null, tool_calls: [call] };
}

/** A completion in chunks. */
export class ChatTelling implements Telling {
  readonly #reply: MadeReply;
  /** What every chunk begins and ends with. */
  readonly #head: string;
  readonly #tail: string;
  #isCalled = false;

  constructor(reply: MadeReply) {
    const { id, createdSeconds, asked } = reply;
    const head = { id, object: 'chat.completion.chunk', created: createdSeconds, model: asked.model };
    this.#reply = reply;
    this.#head = `data: ${JSON.stringify({ ...head, service_tier: 'default', system_fingerprint: null }).slice(0, -1)},`;
    this.#tail = `${asked.includesUsage ? ',"usage":null' : ''}}\n\n`;
  }

  opening(): string[] {
    const content = this.#reply.tool === undefined ? '""' : 'null';
    return [this.#chunk(`{"role":"assistant","content":${content},"refusal":null}`)];
  }

  reasoning(piece: string): string {
    return this.#chunk(`{"reasoning_content":${JSON.stringify(piece)}}`);
  }

  turning(): string[] {
    return [];
  }

  answer(piece: string): string {
    if (this.#reply.tool === undefined) return this.#chunk(`{"content":${JSON.stringify(piece)}}`);
    const { tool, itemId } = this.#reply;
    const name = this.#isCalled ? {} : { id: `call_${itemId}`, type: 'function' };
    const function_ = this.#isCalled ? { arguments: piece } : { name: tool, arguments: piece };
    this.#isCalled = true;
    return this.#chunk(JSON.stringify({ tool_calls: [{ index: 0, ...name, function: function_ }] }));
  }

  closing(): string[] {
    const finish = this.#chunk('{}', this.#reply.finish);
    const usage = `${this.#head}"choices":[],"usage":${JSON.stringify(completionUsage(this.#reply))}}\n\n`;
    return [finish, ...(this.#reply.asked.includesUsage ? [usage] : []), chatDone];
  }

  failing(problem: Problem): string[] {
    return [`data: ${openaiError(problem)}\n\n`];
  }

  #chunk(delta: string, finish: string | null = null): string {
    const reason = finish === null ? 'null' : `"${finish}"`;
    return `${this.#head}"choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${reason}}]${this.#tail}`;
  }
}

/** What follows the last chunk. */
const chatDone = 'data: [DONE]\n\n';
