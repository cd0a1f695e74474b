import type { MadeReply } from '../../model-api/make-reply.ts';

/** A response that is complete. */
export function wholeResponse(reply: MadeReply) {
  const isComplete = reply.finish !== 'length';
  return {
    ...responseHead(reply),
    status: isComplete ? 'completed' : 'incomplete',
    incomplete_details: isComplete ? null : { reason: 'max_output_tokens' },
    output: outputOf(reply),
    usage: usageOf(reply),
  };
}

/** A response that has begun: nothing is in it yet. */
export function responseHead({ id, createdSeconds, asked }: MadeReply) {
  return {
    id,
    object: 'response',
    created_at: createdSeconds,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    instructions: asked.instructions ?? null,
    max_output_tokens: asked.maxPieces === Infinity ? null : asked.maxPieces,
    model: asked.model,
    output: [] as object[],
    parallel_tool_calls: true,
    previous_response_id: asked.kept?.responseId ?? null,
    conversation: asked.kept?.conversationId === undefined ? null : { id: asked.kept.conversationId },
    reasoning: { effort: null, summary: null },
    store: asked.kept?.isStored ?? true,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    usage: null as object | null,
    metadata: {},
  };
}

/** Everything that was generated, in order. */
function outputOf(reply: MadeReply): object[] {
  const thought = reply.reasoning.length === 0 ? [] : [reasoningItem(reply, 'completed')];
  return [...thought, answerItem(reply, reply.finish === 'length' ? 'incomplete' : 'completed')];
}

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

/** What was thought; empty while it is in progress. */
export function reasoningItem({ itemId, reasoning }: MadeReply, status: ItemStatus): object {
  const content = status === 'in_progress' ? [] : [{ type: 'reasoning_text', text: reasoning.join('') }];
  return { id: `rs_${itemId}`, type: 'reasoning', summary: [], content, status };
}

/** The message, or the call of a tool; empty while it is in progress. */
export function answerItem({ itemId, tool, pieces }: MadeReply, status: ItemStatus): object {
  const text = status === 'in_progress' ? '' : pieces.join('');
  if (tool !== undefined)
    return {
      id: `fc_${itemId}`,
      type: 'function_call',
      call_id: `call_${itemId}`,
      name: tool,
      arguments: text,
      status,
    };
  const content = status === 'in_progress' ? [] : [textPart(text)];
  return { id: `msg_${itemId}`, type: 'message', role: 'assistant', status, content };
}

export function textPart(text: string): object {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

function usageOf({ usage: { input, output, reasoning } }: MadeReply) {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}
