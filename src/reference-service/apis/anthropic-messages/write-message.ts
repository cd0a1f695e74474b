import { newId, type Problem, type Telling, typedEvent } from '../../model-api/model-api.ts';
import type { MadeReply } from '../../model-api/make-reply.ts';

/** The body of an error, as Anthropic's API words it; the data of an error event is the same. */
export function anthropicError(problem: Problem): string {
  const { message, type } = wordingOf(problem);
  return JSON.stringify({ type: 'error', error: { type, message }, request_id: newId('req_') });
}

const types: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

function wordingOf({ status, message, code, model }: Problem): { type: string; message: string } {
  if (code === 'model_not_found') return { type: 'not_found_error', message: `model: ${model ?? ''}` };
  if (code === 'insufficient_quota') return { type: 'billing_error', message };
  return { type: types[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error'), message };
}

/** The body of a message that is not streamed. */
export function wholeMessage(reply: MadeReply): string {
  const { usage } = reply;
  return JSON.stringify({
    ...messageHead(reply),
    content: [...thinkingOf(reply), blockOf(reply)],
    stop_reason: stopReasons[reply.finish],
    usage: messageUsage(usage),
  });
}

/** What a message begins with: without content and without an end. */
function messageHead({ id, asked }: MadeReply) {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model: asked.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
}

const stopReasons = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use' } as const;

function messageUsage({ input, output }: Pick<MadeReply['usage'], 'input' | 'output'>) {
  return {
    input_tokens: input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: output,
    service_tier: 'standard',
  };
}

const thinkingOf = ({ reasoning, itemId }: MadeReply) =>
  reasoning.length === 0 ? [] : [{ type: 'thinking', thinking: reasoning.join(''), signature: itemId }];

function blockOf({ pieces, tool, itemId }: MadeReply) {
  const text = pieces.join('');
  if (tool === undefined) return { type: 'text', text, citations: null };
  return { type: 'tool_use', id: `toolu_${itemId}`, name: tool, input: JSON.parse(text) as unknown };
}

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
