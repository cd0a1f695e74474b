import type { MadeReply } from '../../model-api/make-reply.ts';
import type { Problem } from '../../model-api/problem.ts';
import type { Telling } from '../../model-api/telling.ts';
import { openaiError } from './openai-error.ts';
import { completionUsage } from './whole-completion.ts';

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
