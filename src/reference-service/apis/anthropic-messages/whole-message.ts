import type { MadeReply } from '../../model-api/make-reply.ts';

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
export function messageHead({ id, asked }: MadeReply) {
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

export const stopReasons = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use' } as const;

export function messageUsage({ input, output }: Pick<MadeReply['usage'], 'input' | 'output'>) {
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
