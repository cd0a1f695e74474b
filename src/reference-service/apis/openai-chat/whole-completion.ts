import type { MadeReply } from '../../model-api/make-reply.ts';

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
export function completionUsage({ usage: { input, output, reasoning } }: MadeReply) {
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
