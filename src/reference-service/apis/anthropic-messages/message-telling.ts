import type { MadeReply } from '../../model-api/make-reply.ts';
import type { Problem } from '../../model-api/problem.ts';
import { typedEvent, type Telling } from '../../model-api/telling.ts';
import { anthropicError } from './anthropic-error.ts';
import { messageHead, messageUsage, stopReasons } from './whole-message.ts';

/** A message in events. */
export class MessageTelling implements Telling {
  readonly #reply: MadeReply;
  /** Of the block with the answer. */
  readonly #index: number;

  constructor(reply: MadeReply) {
    this.#reply = reply;
    this.#index = reply.reasoning.length === 0 ? 0 : 1;
  }

  opening(): string[] {
    const usage = messageUsage({ ...this.#reply.usage, output: 0 });
    const message = { ...messageHead(this.#reply), usage };
    const begin = event('message_start', { message });
    const thinking = { type: 'thinking', thinking: '', signature: '' };
    const block =
      this.#index === 0 ? this.#beginAnswer() : event('content_block_start', { index: 0, content_block: thinking });
    return [begin, block, event('ping', {})];
  }

  reasoning(piece: string): string {
    return delta(0, `"thinking_delta","thinking":${JSON.stringify(piece)}`);
  }

  turning(): string[] {
    if (this.#index === 0) return [];
    const signature = delta(0, `"signature_delta","signature":"${this.#reply.itemId}"`);
    return [signature, event('content_block_stop', { index: 0 }), this.#beginAnswer()];
  }

  answer(piece: string): string {
    const text = JSON.stringify(piece);
    return delta(
      this.#index,
      this.#reply.tool === undefined ? `"text_delta","text":${text}` : `"input_json_delta","partial_json":${text}`,
    );
  }

  closing(): string[] {
    const { finish, usage } = this.#reply;
    return [
      event('content_block_stop', { index: this.#index }),
      event('message_delta', {
        delta: { stop_reason: stopReasons[finish], stop_sequence: null },
        usage: messageUsage(usage),
      }),
      event('message_stop', {}),
    ];
  }

  failing(problem: Problem): string[] {
    return [typedEvent('error', anthropicError(problem))];
  }

  #beginAnswer(): string {
    const { tool: name, itemId } = this.#reply;
    const block =
      name === undefined ? { type: 'text', text: '' } : { type: 'tool_use', id: `toolu_${itemId}`, name, input: {} };
    return event('content_block_start', { index: this.#index, content_block: block });
  }
}

const event = (type: string, fields: object): string => typedEvent(type, JSON.stringify({ type, ...fields }));

const delta = (index: number, rest: string): string =>
  typedEvent('content_block_delta', `{"type":"content_block_delta","index":${String(index)},"delta":{"type":${rest}}}`);
